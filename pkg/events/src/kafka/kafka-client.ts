import { connect as connectPlain } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Logger } from '@millrace/logger'
import { type ISocketFactory, Kafka, logLevel, type SASLOptions } from 'kafkajs'

export interface KafkaConnection {
  brokers: readonly string[]
  /** Before the name of each topic and group, where a cluster is shared. */
  prefix?: string
  ssl?: boolean
  sasl?: { mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'; username: string; password: string }
}

const keepAliveMs = 60_000

/** The library's own leaves Nagle's algorithm on, which holds small requests back for up to 40 ms. */
const openSocket: ISocketFactory = ({ host, port, ssl, onConnect }) => {
  const socket = ssl
    ? connectTls({ host, port, servername: host, ...ssl }, onConnect)
    : connectPlain({ host, port }, onConnect)
  socket.setNoDelay(true)
  socket.setKeepAlive(true, keepAliveMs)
  return socket
}

/** Quick tries: whoever calls tries again in its own way, and tells. */
export function createKafka(connection: KafkaConnection, clientId: string, logger: Logger): Kafka {
  const log = logger.child({ component: 'kafka' })
  return new Kafka({
    clientId,
    brokers: [...connection.brokers],
    ssl: connection.ssl ?? false,
    ...(connection.sasl === undefined ? {} : { sasl: connection.sasl as SASLOptions }),
    socketFactory: openSocket,
    connectionTimeout: 3_000,
    requestTimeout: 10_000,
    retry: { initialRetryTime: 100, maxRetryTime: 1_000, retries: 4 },
    logLevel: logLevel.WARN,
    // What the library calls an error is mostly a try that it repeats: those who use it decide what is worth a warning.
    logCreator:
      () =>
      ({ namespace, log: { message, timestamp: _at, logger: _name, ...fields } }) =>
        log.debug({ ...fields, namespace }, message),
  })
}
