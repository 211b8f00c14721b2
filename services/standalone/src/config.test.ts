import { ConfigError } from '@millrace/config'
import { expect, test } from 'vitest'
import { readStandaloneConfig } from './config.js'

function faultsOf(env: Record<string, string>): string[] {
  try {
    readStandaloneConfig(env)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
}

test('without any setting the defaults hold', () => {
  expect(readStandaloneConfig({})).toMatchObject({
    port: 8080,
    grpcPort: 7070,
    adminEmail: 'admin@millrace.local',
    workers: 1,
    workerConcurrency: 50,
    leaseMs: 6000,
    shellEnabled: false,
    allowPrivateNetwork: false,
    rateLimitRequests: 60_000,
    rateLimitLoginAccount: 10,
    rateLimitLoginAddress: 300,
    openRegistration: undefined,
    requireVerifiedEmail: false,
  })
})

test('every fault is listed, each naming its setting, and no secret is repeated', () => {
  const bad = {
    MILLRACE_PORT: 'eighty',
    MILLRACE_GRPC_PORT: '70000',
    MILLRACE_ADMIN_EMAIL: 'nobody',
    MILLRACE_ADMIN_PASSWORD: 'hunter2',
    MILLRACE_MASTER_KEY: 'tiny-key',
    DATABASE_URL: 'mysql://me:pa55word@db/x',
    MILLRACE_SMTP_URL: 'not a url',
    MILLRACE_WORKERS: '-1',
    MILLRACE_WORKER_CONCURRENCY: '0',
    MILLRACE_SCHEDULER_PROFILE: 'fast',
    MILLRACE_LEASE_MS: '5',
    MILLRACE_SHELL_ENABLED: 'maybe',
    MILLRACE_ALLOW_PRIVATE_NETWORK: '2',
    MILLRACE_EGRESS_ALLOW: 'localhost',
    MILLRACE_RATE_LIMIT_REQUESTS: '1.5',
    MILLRACE_RATE_LIMIT_LOGIN_ACCOUNT: 'x',
    MILLRACE_RATE_LIMIT_LOGIN_ADDRESS: '0',
    MILLRACE_OPEN_REGISTRATION: 'si',
    MILLRACE_REQUIRE_VERIFIED_EMAIL: 'nope',
    MILLRACE_WEBHOOK_RETRY_SCHEDULE: '1s,soon',
    MILLRACE_S3_PUBLIC_URL: 'ftp://files',
    MILLRACE_LOG_LEVEL: 'loud',
  }
  const faults = faultsOf(bad)
  expect(faults).toHaveLength(Object.keys(bad).length)
  for (const name of Object.keys(bad)) expect(faults.some((fault) => fault.startsWith(name))).toBe(true)
  expect(faults.join()).not.toMatch(/hunter2|tiny-key|pa55word/)
})

test('commands of whoever registers from another machine have to be asked for', () => {
  const open = { MILLRACE_SHELL_ENABLED: 'true', MILLRACE_HOST: '0.0.0.0', MILLRACE_OPEN_REGISTRATION: 'true' }
  expect(faultsOf(open)).toEqual([expect.stringMatching(/^MILLRACE_SHELL_PROJECTS is required/)])
  expect(faultsOf({ ...open, MILLRACE_SHELL_PROJECTS: '*' })).toEqual([])
})

test('the two public ports must differ, also when one is a default', () => {
  expect(faultsOf({ MILLRACE_PORT: '7070' })).toEqual([
    'MILLRACE_PORT and MILLRACE_GRPC_PORT must differ, both are 7070',
  ])
})
