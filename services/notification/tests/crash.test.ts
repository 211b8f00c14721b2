import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { testServiceEnv, waitFor } from '@millrace/testkit'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Harness } from './support/harness.js'

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url))

describe('a crash', () => {
  let harness: Harness
  const children: ChildProcess[] = []
  beforeAll(async () => {
    harness = await Harness.create({ retryScheduleMs: [100], claimMs: 1500, pollMs: 100 })
  })
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL')
    await harness.close()
  })

  function spawnService(): ChildProcess {
    const { config } = harness
    const child = spawn(process.execPath, [main], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        ...process.env,
        DATABASE_URL: config.databaseUrl,
        MILLRACE_SERVICE_HTTP_PORT: '0',
        ...testServiceEnv('notification'),
        MILLRACE_IAM_GRPC: config.iamGrpc,
        MILLRACE_NOTIFICATION_KEY: config.secretKey.toString('base64'),
        MILLRACE_MAIL_DIR: harness.mailDirectory,
        MILLRACE_EGRESS_ALLOW: config.egress?.allow.join(',') ?? '',
        MILLRACE_LOG_LEVEL: 'warn',
      },
    })
    children.push(child)
    return child
  }

  it('between sending and recording leads to the same notification again, under the same id', async () => {
    const { id, secret } = await harness.subscribe()
    await harness.service.stop()
    harness.sink.script({ status: 200, delayMs: 60_000 })
    const child = spawnService()
    await harness.emit(harness.completed())
    await waitFor(() => harness.sink.requests.length === 1, { timeoutMs: 20_000 })
    child.kill('SIGKILL')
    await once(child, 'exit')
    // The dead process held it for as long as its configuration says; that time is over sooner here.
    const moved = await harness.pool.query(
      `update deliveries set next_attempt_at = now() + interval '500 milliseconds' where status = 'pending' and claim_token is not null`,
    )
    expect(moved.rowCount).toBe(1)
    await harness.startService()
    const notification = await harness.settled(id, 'delivered')
    const [first, second] = harness.sink.requests
    expect(harness.sink.requests).toHaveLength(2)
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    expect(second?.headers['webhook-id']).toBe(notification.id)
    expect(second?.body).toBe(first?.body)
    new Webhook(secret).verify(second!.body, second!.headers as Record<string, string>)
    await harness.removeSubscriptions()
  })

  it('of the loop alone is healed by the end of its claim', async () => {
    harness.sink.requests.length = 0
    const { id } = await harness.subscribe()
    // As a sender leaves it that died right after its claim.
    await harness.service.stop()
    harness.sink.otherwise({ status: 200 })
    await harness.startService()
    await harness.pool.query(
      `create function pretend_claimed() returns trigger language plpgsql as $$ begin
         new.claim_token := gen_random_uuid(); new.next_attempt_at := clock_timestamp() + interval '700 milliseconds'; return new;
       end $$`,
    )
    await harness.pool.query(
      'create trigger claimed before insert on deliveries for each row execute function pretend_claimed()',
    )
    const started = performance.now()
    await harness.emit(harness.completed())
    await harness.settled(id, 'delivered')
    expect(performance.now() - started).toBeGreaterThan(600)
    expect(harness.sink.requests).toHaveLength(1)
    await harness.pool.query('drop trigger claimed on deliveries')
  })

  it('of the clock, a sender that overslept its claim, records nothing over its successor', async () => {
    await harness.removeSubscriptions()
    harness.sink.requests.length = 0
    const { id } = await harness.subscribe()
    harness.sink.script({ status: 500, delayMs: 400 })
    await harness.emit(harness.completed())
    await waitFor(() => harness.sink.requests.length === 1)
    await harness.pool.query(
      `update deliveries set claim_token = null, next_attempt_at = now() where subscription_id = $1`,
      [id],
    )
    const notification = await harness.settled(id, 'delivered')
    await waitFor(async () => {
      const metrics = await (await fetch(`http://127.0.0.1:${harness.service.httpPort}/metrics`)).text()
      return /millrace_notification_lost_claims_total [1-9]/.test(metrics)
    })
    const after = await harness.call('GET', `/notifications/${String(notification.id)}`)
    expect(after.body).toMatchObject({ status: 'delivered', attempts: [{ statusCode: 200 }] })
  })

  it('is not what a stop is: what is being sent may finish, what takes too long is given back untried', async () => {
    await harness.removeSubscriptions()
    harness.sink.requests.length = 0
    const { id } = await harness.subscribe()
    harness.sink.script({ status: 200, delayMs: 1000 }, { status: 200, delayMs: 60_000 })
    await harness.emit(harness.completed())
    await waitFor(() => harness.sink.requests.length === 1)
    await harness.emit(harness.completed())
    await waitFor(() => harness.sink.requests.length === 2)
    const started = performance.now()
    await harness.service.stop()
    expect(performance.now() - started).toBeLessThan(9000)
    const { rows } = await harness.pool.query(
      `select status, attempt_count, claim_token, next_attempt_at <= now() as due from deliveries
       where subscription_id = $1 order by id`,
      [id],
    )
    expect(rows).toEqual([
      { status: 'delivered', attempt_count: 1, claim_token: null, due: true },
      { status: 'pending', attempt_count: 0, claim_token: null, due: true },
    ])
    await harness.startService()
    await waitFor(async () => (await harness.notifications(`?subscription=${id}&status=delivered`)).length === 2)
    expect(harness.sink.requests[2]?.headers['webhook-id']).toBe(harness.sink.requests[1]?.headers['webhook-id'])
  })
})
