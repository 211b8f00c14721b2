import { boolean, list, oneOf, secret, string } from './fields.js'
import type { Env, Field } from './read-config.js'

/** What carries events. */
export type EventsConfig = { kind: 'postgres' } | ({ kind: 'kafka' } & KafkaSettings)

export interface KafkaSettings {
  brokers: string[]
  prefix: string
  ssl: boolean
  sasl?: { mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'; username: string; password: string }
}

const fields = {
  kind: oneOf('MILLRACE_EVENTS', ['postgres', 'kafka'], { default: 'postgres' }),
  brokers: list('MILLRACE_KAFKA_BROKERS', { default: [], pattern: /^(?:\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+):\d{1,5}$/ }),
  prefix: string('MILLRACE_KAFKA_PREFIX', {
    default: '',
    pattern: /^[A-Za-z0-9._-]{1,64}$/,
    wanted: 'up to 64 letters, digits, dots, dashes and underscores',
  }),
  ssl: boolean('MILLRACE_KAFKA_SSL', { default: false }),
  mechanism: oneOf('MILLRACE_KAFKA_SASL', ['none', 'plain', 'scram-sha-256', 'scram-sha-512'], { default: 'none' }),
  username: string('MILLRACE_KAFKA_USERNAME', { default: undefined }),
  password: secret('MILLRACE_KAFKA_PASSWORD', { default: undefined }),
}

type Values = { [K in keyof typeof fields]: (typeof fields)[K] extends Field<infer T> ? T : never }

/** Several variables that make sense together only; all their faults are told. */
export const eventsField: Field<EventsConfig> = {
  name: 'MILLRACE_EVENTS',
  settings: Object.values(fields).flatMap((field) => field.settings),
  read(env: Env) {
    const faults: string[] = []
    const values: Record<string, unknown> = {}
    for (const [key, field] of Object.entries(fields)) {
      const result = field.read(env)
      if ('fault' in result) faults.push(result.fault)
      else values[key] = result.value
    }
    const { kind, brokers, prefix, ssl, mechanism, username, password } = values as Values
    if (kind === 'kafka' && brokers?.length === 0)
      faults.push('MILLRACE_KAFKA_BROKERS is required with MILLRACE_EVENTS=kafka')
    const wantsLogin = mechanism !== undefined && mechanism !== 'none'
    if (wantsLogin && (username === undefined || password === undefined)) {
      faults.push('MILLRACE_KAFKA_USERNAME and MILLRACE_KAFKA_PASSWORD are required with MILLRACE_KAFKA_SASL')
    }
    if (faults.length > 0) return { fault: faults.join('\n  - ') }
    if (kind === 'postgres') return { value: { kind } }
    const login = wantsLogin ? { sasl: { mechanism, username: username ?? '', password: password ?? '' } } : {}
    return { value: { kind, brokers, prefix, ssl, ...login } }
  },
}
