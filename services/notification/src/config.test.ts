import { ConfigError } from '@millrace/config'
import { testServiceEnv } from '@millrace/testkit'
import { describe, expect, it } from 'vitest'
import { parseRetrySchedule, readNotificationConfig } from './config.js'

const env = {
  DATABASE_URL: 'postgres://u:p@127.0.0.1:5432/millrace',
  MILLRACE_SERVICE_HTTP_PORT: '7000',
  ...testServiceEnv('notification'),
  MILLRACE_IAM_GRPC: '127.0.0.1:7001',
  MILLRACE_MASTER_KEY: 'ab'.repeat(32),
  MILLRACE_MAIL_DIR: 'mail',
}

describe('configuration', () => {
  it('has the promised schedule unless told otherwise', () => {
    expect(readNotificationConfig(env).delivery?.retryScheduleMs).toHaveLength(9)
    const short = readNotificationConfig({ ...env, MILLRACE_WEBHOOK_RETRY_SCHEDULE: '100ms, 1s,2m' })
    expect(short.delivery?.retryScheduleMs).toEqual([100, 1000, 120_000])
  })

  it.each(['1s,soon', '1', '-1s', '1s,,2s', '31d', Array(51).fill('1s').join(',')])(
    'refuses the schedule %s',
    (text) => {
      expect(parseRetrySchedule(text)).toBeUndefined()
    },
  )

  it('lists every fault at once and no secret', () => {
    const bad = { ...env, MILLRACE_MASTER_KEY: 'tiny-key', MILLRACE_WEBHOOK_RETRY_SCHEDULE: 'soon', DATABASE_URL: 'x' }
    const read = () => readNotificationConfig(bad)
    expect(read).toThrow(ConfigError)
    expect(read).toThrow(/DATABASE_URL[\s\S]*MILLRACE_MASTER_KEY[\s\S]*MILLRACE_WEBHOOK_RETRY_SCHEDULE/)
    expect(read).not.toThrow(/tiny-key/)
  })

  it('takes the address at which people reach the platform without a slash at its end', () => {
    const publicUrlOf = (text?: string) => readNotificationConfig({ ...env, MILLRACE_PUBLIC_URL: text }).publicUrl
    expect(publicUrlOf('https://m.example/x/')).toBe('https://m.example/x')
    expect(publicUrlOf()).toBeUndefined()
    expect(() => publicUrlOf('ftp://m.example')).toThrow(/MILLRACE_PUBLIC_URL/)
  })

  it('wants some way to send mail', () => {
    expect(() => readNotificationConfig({ ...env, MILLRACE_MAIL_DIR: '' })).toThrow(/MILLRACE_SMTP_URL/)
  })
})
