import { waitFor } from '@millrace/testkit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Harness } from './support/harness.js'

describe('an endpoint that keeps failing', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await Harness.create({ retryScheduleMs: [20], pollMs: 50, disableAfterFailures: 3 })
  })
  afterAll(() => harness.close())
  beforeEach(() => {
    harness.sink.requests.length = 0
    harness.sink.otherwise({ status: 500 })
  })
  afterEach(() => harness.removeSubscriptions())
  const disabled = (id: string) =>
    waitFor(async () => {
      const { body } = await harness.call('GET', `/subscriptions/${id}`)
      return body.enabled === false && body
    })

  it('is disabled after so many deliveries failed in a row, and its owner is told by mail', async () => {
    const { id } = await harness.subscribe({}, { email: 'hook-owner@example.com' })
    for (let n = 0; n < 3; n++) {
      expect((await harness.call('GET', `/subscriptions/${id}`)).body.enabled).toBe(true)
      await harness.emit(harness.completed())
      await waitFor(async () => (await harness.notifications(`?subscription=${id}&status=failed`)).length === n + 1)
    }
    expect(await disabled(id)).toMatchObject({ disabledReason: 'too_many_failures' })
    const mail = await waitFor(async () => (await harness.mails()).find((raw) => raw.includes(id)))
    expect(mail).toContain('To: hook-owner@example.com')
    expect(mail).toContain('[Millrace] A subscription was disabled')
    expect(await harness.events('audit.recorded')).toContainEqual(
      expect.objectContaining({ action: 'subscription.disabled', target: `subscription:${id}` }),
    )
    const before = harness.sink.requests.length
    await harness.emit(harness.completed())
    const other = await harness.subscribe({ channel: { type: 'email', to: ['x@example.com'] } })
    await harness.emit(harness.completed())
    await harness.settled(other.id, 'delivered')
    expect(harness.sink.requests).toHaveLength(before)
    const [failed] = await harness.notifications(`?subscription=${id}&status=failed`)
    const refused = await harness.call('POST', `/notifications/${String(failed?.id)}/redeliver`)
    expect(refused).toMatchObject({ status: 409, body: { code: 'subscription_disabled' } })
  })

  it('starts with a clean record when it is enabled again', async () => {
    const { id } = await harness.subscribe()
    await harness.emit(harness.completed(), harness.completed(), harness.completed())
    await disabled(id)
    harness.sink.otherwise({ status: 200 })
    const enabled = await harness.call('PATCH', `/subscriptions/${id}`, { enabled: true })
    expect(enabled.body).toMatchObject({ enabled: true, disabledReason: null })
    await harness.emit(harness.completed())
    // The owner's mail is among the delivered, too.
    await waitFor(async () =>
      (await harness.notifications(`?subscription=${id}&status=delivered`)).some(
        (one) => one.type === 'workflow.completed',
      ),
    )
    harness.sink.otherwise({ status: 500 })
    await harness.emit(harness.completed(), harness.completed())
    await waitFor(async () => (await harness.notifications(`?subscription=${id}&status=failed`)).length === 5)
    expect((await harness.call('GET', `/subscriptions/${id}`)).body.enabled).toBe(true)
  })

  it('is not disabled while it succeeds now and then', async () => {
    const { id } = await harness.subscribe()
    for (let n = 0; n < 5; n++) {
      harness.sink.otherwise({ status: n % 2 === 0 ? 500 : 200 })
      await harness.emit(harness.completed())
      await waitFor(async () => {
        const all = await harness.notifications(`?subscription=${id}`)
        return all.length === n + 1 && all.every((one) => one.status !== 'pending')
      })
    }
    expect((await harness.call('GET', `/subscriptions/${id}`)).body.enabled).toBe(true)
  })

  it('is disabled at once by 410 Gone', async () => {
    const { id } = await harness.subscribe()
    harness.sink.otherwise({ status: 410 })
    await harness.emit(harness.completed())
    expect(await disabled(id)).toMatchObject({ disabledReason: 'endpoint_gone' })
    const notification = await harness.settled(id, 'failed')
    expect(notification).toMatchObject({ reason: 'endpoint_gone', attempts: [{ statusCode: 410 }] })
  })

  it('is disabled when it has failed for too long, whatever is left of the schedule', async () => {
    const { id } = await harness.subscribe()
    await harness.pool.query(`update subscriptions set failing_since = now() - interval '4 days' where id = $1`, [id])
    harness.sink.script({ status: 500 })
    await harness.emit(harness.completed())
    expect(await disabled(id)).toMatchObject({ disabledReason: 'failing_too_long' })
    expect(await harness.settled(id, 'failed')).toMatchObject({ reason: 'subscription_disabled', attemptCount: 1 })
  })

  it('ends what waits when it is switched off by hand, and takes a test all the same', async () => {
    const { id } = await harness.subscribe()
    await harness.emit(harness.completed())
    await harness.settled(id, 'failed')
    await harness.call('PATCH', `/subscriptions/${id}`, { enabled: false })
    expect(await disabled(id)).toMatchObject({ disabledReason: 'by_request' })
    harness.sink.otherwise({ status: 200 })
    const test = await harness.call('POST', `/subscriptions/${id}/test`)
    expect(test).toMatchObject({ status: 202, body: { type: 'subscription.test', status: 'pending' } })
    expect(await harness.settled(id, 'delivered')).toMatchObject({ id: test.body.id })
  })
})
