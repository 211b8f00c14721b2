import { Duration } from 'aws-cdk-lib'
import * as cw from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { Construct } from 'constructs'
import type { Database } from './database.js'
import type { Documents } from './documents.js'
import type { Gateway } from './gateway.js'
import type { Kafka } from './kafka.js'
import { type AlarmName, runbooks } from './runbooks.js'
import type { Services } from './services.js'
import type { Size } from './size.js'

interface Watched {
  database: Database
  kafka: Kafka
  documents: Documents
  services: Services
  gateway: Gateway
  metricsNamespace: string
  size: Size
}

const gib = 2 ** 30

const ofDocuments = ({ cluster }: Documents): cw.Metric =>
  new cw.Metric({
    ...{ namespace: 'AWS/DocDB', metricName: 'CPUUtilization', statistic: 'Maximum' },
    dimensionsMap: { DBClusterIdentifier: cluster.clusterIdentifier },
  })

/** Symptoms first, then what runs out. Each description names its runbook. */
export class Alarms extends Construct {
  readonly topic: Topic

  constructor(scope: Construct, id: string, email: string | undefined, key: IKey, watched: Watched) {
    super(scope, id)
    this.topic = new Topic(this, 'Topic', { masterKey: key, enforceSSL: true })
    if (email !== undefined) this.topic.addSubscription(new EmailSubscription(email))
    this.ofMillrace(watched)
    this.ofServers(watched)
  }

  private ofMillrace({ services, gateway, metricsNamespace }: Watched): void {
    const sent = (metricName: string) =>
      new cw.Metric({ namespace: metricsNamespace, metricName, statistic: 'Maximum' })
    const minutes = { period: Duration.minutes(1) }
    const outboxAge = sent('millrace_events_outbox_age_seconds').with(minutes)
    const deadLetters = sent('millrace_scheduler_open_dead_letters').with(minutes)
    this.above('tasks-wait', services.queueAge, 60, 'Ready tasks wait for a worker', 10)
    this.above('outbox-stuck', outboxAge, 60, 'Events are not published', 5)
    this.above('dead-letters', deadLetters, 100, 'Dead letters are open', 5)
    for (const [index, target] of gateway.targets.entries()) {
      const unhealthy = target.metrics.unHealthyHostCount({ statistic: 'Maximum', ...minutes })
      this.above('target-down', unhealthy, 0, 'A gateway is unhealthy', 5, index)
    }
  }

  private ofServers({ database, kafka, documents, size }: Watched): void {
    const { instance } = database
    this.above('postgres-cpu', instance.metricCPUUtilization(), 80, 'PostgreSQL is short of CPU', 3)
    this.below(
      'postgres-storage',
      instance.metricFreeStorageSpace(),
      size.postgres.storageGiB * 0.1 * gib,
      'PostgreSQL fills',
    )
    this.above('documents-cpu', ofDocuments(documents), 80, 'DocumentDB is short of CPU', 3)
    const ofKafka = (metricName: string) =>
      new cw.Metric({
        ...{ namespace: 'AWS/Kafka', metricName, statistic: 'Maximum' },
        dimensionsMap: { 'Cluster Name': kafka.clusterName },
      })
    this.above('kafka-partitions', ofKafka('OfflinePartitionsCount'), 0, 'Kafka has partitions without a leader', 2)
    for (let broker = 1; broker <= size.kafka.brokers; broker += 1) {
      const used = new cw.Metric({
        ...{ namespace: 'AWS/Kafka', metricName: 'KafkaDataLogsDiskUsed', statistic: 'Maximum' },
        dimensionsMap: { 'Cluster Name': kafka.clusterName, 'Broker ID': String(broker) },
      })
      this.above('kafka-disk', used, 80, 'Kafka’s disk fills (percent)', 2, broker)
    }
  }

  private above(
    name: AlarmName,
    metric: cw.IMetric,
    threshold: number,
    meaning: string,
    evaluationPeriods: number,
    number?: number,
  ): void {
    this.alarm(name, meaning, { metric, threshold, evaluationPeriods, comparisonOperator: above }, number)
  }

  private below(name: AlarmName, metric: cw.IMetric, threshold: number, meaning: string): void {
    this.alarm(name, meaning, { metric, threshold, evaluationPeriods: 2, comparisonOperator: below })
  }

  private alarm(name: AlarmName, meaning: string, how: cw.AlarmProps, number?: number): void {
    const id = number === undefined ? name : `${name}-${number}`
    const alarm = new cw.Alarm(this, id, { ...how, alarmDescription: `${meaning}. Runbook: ${runbooks[name]}` })
    alarm.addAlarmAction(new SnsAction(this.topic))
    alarm.addOkAction(new SnsAction(this.topic))
  }
}

const above = cw.ComparisonOperator.GREATER_THAN_THRESHOLD
const below = cw.ComparisonOperator.LESS_THAN_THRESHOLD
