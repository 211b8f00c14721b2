import { randomBytes } from 'node:crypto'
import { testServiceEnv } from '@millrace/testkit'
import { expect, test } from 'vitest'
import { ConfigError, readIamConfig } from './config.js'

const good = {
  DATABASE_URL: 'postgres://u:p@h/d',
  MILLRACE_SERVICE_HTTP_PORT: '7001',
  MILLRACE_SERVICE_GRPC_PORT: '7002',
  ...testServiceEnv('iam'),
  MILLRACE_MASTER_KEY: randomBytes(32).toString('base64'),
  MILLRACE_MAIL_DIR: '/var/mail/millrace',
}

test('defaults are those of the contract', () => {
  expect(readIamConfig(good)).toMatchObject({
    admin: { email: 'admin@millrace.local', password: undefined },
    openRegistration: true,
    login: { perAccount: 10, accountWindowMs: 900_000, perAddress: 300, addressWindowMs: 60_000 },
    requestsPerMinute: 60_000,
    tokens: { accessMs: 900_000 },
  })
})

test.each([
  [{}, true],
  [{ MILLRACE_HOST: '::1' }, true],
  [{ MILLRACE_HOST: '0.0.0.0' }, false],
  [{ MILLRACE_HOST: '0.0.0.0', MILLRACE_OPEN_REGISTRATION: 'true' }, true],
  [{ MILLRACE_OPEN_REGISTRATION: 'false' }, false],
])('registration with %j is open: %s', (env, open) => {
  expect(readIamConfig({ ...good, ...env }).openRegistration).toBe(open)
})

test('every fault is listed, and no secret with it', () => {
  const bad = {
    DATABASE_URL: 'mysql://u:hunter2@h/d',
    MILLRACE_SERVICE_HTTP_PORT: '70000',
    MILLRACE_SERVICE_KEY: 'hunter2',
    MILLRACE_SERVICE_PUBLIC_KEYS: 'iam=hunter2',
    MILLRACE_MASTER_KEY: 'hunter2',
    MILLRACE_ADMIN_EMAIL: 'nobody',
    MILLRACE_RATE_LIMIT_REQUESTS: 'many',
    MILLRACE_ACCESS_TOKEN_TTL: '1h',
    MILLRACE_CREDENTIAL_CACHE: '1m',
  }
  try {
    readIamConfig(bad)
    expect.unreachable()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    expect(error.faults.map((fault) => fault.split(' ')[0]).sort()).toEqual([
      'DATABASE_URL',
      'MILLRACE_ACCESS_TOKEN_TTL',
      'MILLRACE_ADMIN_EMAIL',
      'MILLRACE_CREDENTIAL_CACHE',
      'MILLRACE_MASTER_KEY',
      'MILLRACE_RATE_LIMIT_REQUESTS',
      'MILLRACE_SERVICE_GRPC_PORT',
      'MILLRACE_SERVICE_HTTP_PORT',
      'MILLRACE_SERVICE_KEY',
    ])
    expect(error.message).not.toContain('hunter2')
  }
})
