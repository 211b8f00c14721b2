import { randomUUID } from 'node:crypto'
import { createSmtpMailer } from '@millrace/mailer'
import { smtpSink, waitFor } from '@millrace/testkit'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Harness } from './support/harness.js'

describe('mail', () => {
  let harness: Harness
  let mailbox: Awaited<ReturnType<typeof smtpSink>>
  beforeAll(async () => {
    mailbox = await smtpSink()
    harness = await Harness.create(
      { retryScheduleMs: [50, 50] },
      { mailer: createSmtpMailer(mailbox.url) },
      { publicUrl: 'https://m.example' },
    )
  })
  afterAll(async () => {
    await harness.close()
    await mailbox.close()
  })
  afterEach(async () => {
    await harness.removeSubscriptions()
    mailbox.mails.length = 0
  })
  const subscribe = (to = ['a@example.com', 'b@example.com']) =>
    harness.subscribe({ events: ['workflow.completed', 'task.dead-lettered'], channel: { type: 'email', to } })

  it('says what happened in subject, text and html, to everyone on the list', async () => {
    const { id } = await subscribe()
    const runId = randomUUID()
    const error = { code: 'x', message: '<b>boom</b> & more', class: 'user', retryable: false }
    const failed = { status: 'failed', error, failedTask: 'pay', reason: 'task_failed', requestedBy: 'hook:h-1' }
    const traceId = randomUUID().replaceAll('-', '')
    await harness.emit(harness.completed({ runId, ...failed, outputJson: '' }, `00-${traceId}-00f067aa0ba902b7-01`))
    const notification = await harness.settled(id, 'delivered')
    const [mail] = mailbox.mails
    expect(mail?.to).toEqual(['a@example.com', 'b@example.com'])
    expect(mail?.raw).toContain('Subject: [Millrace] order-fulfilment failed at pay')
    expect(mail?.raw).toContain(`Message-ID: <${String(notification.id)}@millrace>`)
    const content = mail!.raw.replaceAll('=\r\n', '').replaceAll('=3D', '=')
    const link = `https://m.example/runs/${runId}?project=${harness.projectId}`
    expect(content).toContain(`Link:       ${link}\r\n`)
    expect(content).toContain(`<a href="${link}">`)
    for (const fact of ['hook h-1', traceId]) expect(content.split(fact)).toHaveLength(3)
    expect(content).toContain('user: <b>boom</b> & more')
    expect(content).toContain('user: &lt;b&gt;boom&lt;/b&gt; &amp; more')
    expect(notification.attempts).toMatchObject([{ statusCode: null, error: null }])
  })

  it('is tried again when the server refuses for now, and is never a reason to disable', async () => {
    const { id } = await subscribe(['a@example.com'])
    mailbox.refuse(451, 550)
    await harness.emit(harness.completed())
    const notification = await harness.settled(id, 'delivered')
    expect(notification.attempts.map((attempt) => attempt.error)).toEqual([
      expect.stringMatching(/^mail_unavailable: /),
      expect.stringMatching(/^mail_rejected: /),
      null,
    ])
    expect(mailbox.mails).toHaveLength(1)
  })

  it('cannot be made to carry headers by the text of an event', async () => {
    const { id } = await subscribe(['a@example.com'])
    const runId = randomUUID()
    const key = 'pay\r\nBcc: victim@example.com'
    await harness.emit({
      topic: 'task.dead-lettered',
      key: runId,
      data: { runId, projectId: harness.projectId, taskId: randomUUID(), workflow: 'a', key, index: -1, attempt: 1 },
    })
    await harness.settled(id, 'delivered')
    expect(mailbox.mails).toMatchObject([{ to: ['a@example.com'] }])
    const headers = mailbox.mails[0]!.raw.split('\r\n\r\n')[0]
    expect(headers).not.toMatch(/^bcc:/im)
  })
})

describe('slack', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await Harness.create({}, {}, { publicUrl: 'https://m.example' })
  })
  afterAll(() => harness.close())

  it('gets one escaped text', async () => {
    const runId = randomUUID()
    const channel = { type: 'slack', url: `${harness.sink.url}/services/T0/B0/x` }
    const { id, secret } = await harness.subscribe({ channel })
    expect(secret).toBeUndefined()
    const error = { code: 'x', message: '<!channel> & co', class: 'user', retryable: false }
    await harness.emit(harness.completed({ runId, status: 'failed', error, failedTask: 'a', requestedBy: 'user:u-1' }))
    await harness.settled(id, 'delivered')
    const request = await waitFor(() => harness.sink.requests[0])
    expect(request.url).toBe('/services/T0/B0/x')
    expect(request.headers['webhook-signature']).toBeUndefined()
    const body = JSON.parse(request.body) as { text: string }
    expect(Object.keys(body)).toEqual(['text'])
    expect(body.text).toContain('*order-fulfilment failed at a*')
    expect(body.text).toContain('Started by: user u-1')
    expect(body.text).toContain(`Link: https://m.example/runs/${runId}?project=${harness.projectId}`)
    expect(body.text).toContain('&lt;!channel&gt; &amp; co')
  })

  it('that is refused by the guard at delivery is recorded as an error, not sent', async () => {
    const { id } = await harness.subscribe()
    // As when a name starts to point inside after the subscription was made.
    await harness.pool.query(`update subscriptions set url = 'http://169.254.169.254/x' where id = $1`, [id])
    await harness.emit(harness.completed())
    const pending = await waitFor(async () => {
      const [one] = await harness.notifications(`?subscription=${id}`)
      return one?.attemptCount === 1 && one
    })
    const detail = await harness.call('GET', `/notifications/${String(pending.id)}`)
    expect(detail.body).toMatchObject({
      status: 'pending',
      attempts: [{ statusCode: null, error: expect.stringMatching(/^egress_denied: /) }],
    })
  })
})
