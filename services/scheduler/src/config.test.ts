import { testServiceEnv } from '@millrace/testkit'
import { expect, test } from 'vitest'
import { readSchedulerConfig } from './config.js'
import { profileSettings } from './profiles.js'

const needed = {
  DATABASE_URL: 'postgres://localhost/test',
  ...testServiceEnv('scheduler'),
  MILLRACE_IAM_GRPC: '127.0.0.1:1',
  MILLRACE_WORKFLOW_GRPC: '127.0.0.1:1',
  MILLRACE_SCHEDULER_GRPC: '127.0.0.1:1',
  MILLRACE_SERVICE_HTTP_PORT: '0',
  MILLRACE_SERVICE_GRPC_PORT: '0',
  MILLRACE_SERVICE_PUBLIC_GRPC_PORT: '0',
}
const engineOf = (env: Record<string, string>) => readSchedulerConfig({ ...needed, ...env }).engine

test('a profile sets what is not set by itself', () => {
  expect(engineOf({})).toMatchObject(profileSettings.latency)
  expect(engineOf({ MILLRACE_SCHEDULER_PROFILE: 'batch' })).toMatchObject(profileSettings.batch)
  expect(
    engineOf({
      MILLRACE_SCHEDULER_PROFILE: 'throughput',
      MILLRACE_SCHEDULER_SHARDS: '7',
      MILLRACE_SCHEDULER_SYNC_MATCH: 'true',
    }),
  ).toMatchObject({ ...profileSettings.throughput, shards: 7, syncMatch: true })
})

test('a wrong profile is a fault', () => {
  expect(() => engineOf({ MILLRACE_SCHEDULER_PROFILE: 'fast' })).toThrow(
    /^bad configuration:\s+- MILLRACE_SCHEDULER_PROFILE must be one of[^\n]*$/,
  )
})
