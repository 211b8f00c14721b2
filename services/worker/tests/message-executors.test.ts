import { freePort, type HttpSink, httpSink, type SmtpSink, smtpSink, waitFor } from '@millrace/testkit'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openHarness, startHarness } from './harness.js'
import { outcomeOf } from './outcome.js'

let sink: HttpSink
let smtp: SmtpSink
let harness: Awaited<ReturnType<typeof openHarness>>
beforeAll(async () => {
  ;[sink, smtp] = await Promise.all([httpSink(), smtpSink()])
  harness = await openHarness({
    egress: { allowPrivate: false, allow: [`127.0.0.1:${sink.port}`] },
    mail: { smtpUrl: smtp.url, from: 'Millrace <from@example.test>' },
  })
})
afterAll(async () => {
  await harness.close()
  await Promise.all([sink.close(), smtp.close()])
})
beforeEach(() => {
  sink.requests.length = 0
  smtp.mails.length = 0
  sink.otherwise({ status: 200 })
})

describe('email', () => {
  const mail = { to: 'a@example.test', subject: 'Done', text: 'All of it' }
  const send = (input: object, lease: object = {}) => outcomeOf(harness, 'email', input, lease)

  it('is sent once, with an id that every attempt shares', async () => {
    const { output } = await send({ ...mail, html: '<b>All</b>' })
    expect(output).toEqual({ messageId: '<abc123@millrace>' })
    expect(smtp.mails).toHaveLength(1)
    expect(smtp.mails[0]).toMatchObject({ to: ['a@example.test'], from: 'from@example.test' })
    for (const part of ['Subject: Done', 'Message-ID: <abc123@millrace>', 'All of it', '<b>All</b>']) {
      expect(smtp.mails[0]?.raw).toContain(part)
    }
  })

  it.each([['a@example.test, b@example.test'], [['a@example.test', 'b@example.test']]])('goes to %j', async (to) => {
    await send({ ...mail, to })
    expect(smtp.mails[0]?.to).toEqual(['a@example.test', 'b@example.test'])
  })

  it('cannot be given a second header', async () => {
    await send({ ...mail, subject: 'One\r\nBcc: evil@example.test' })
    expect(smtp.mails[0]?.to).toEqual(['a@example.test'])
    expect(smtp.mails[0]?.raw).not.toMatch(/^Bcc:/im)
  })

  it.each([
    [{ ...mail, to: 'nobody' }, 'validation'],
    [{ ...mail, to: [] }, 'validation'],
    [{ ...mail, to: [1] }, 'validation'],
    [{ to: mail.to, text: 'x' }, 'validation'],
    [{ ...mail, text: 3 }, 'validation'],
  ])('%j is class %s', async (input, errorClass) => {
    expect((await send(input)).error).toMatchObject({ class: errorClass })
  })

  it.each([
    [550, 'non_retryable', false],
    [451, 'network', true],
  ])('a server that says %i is class %s, retryable %s', async (code, errorClass, retryable) => {
    smtp.refuse(code)
    expect((await send(mail)).error).toMatchObject({ class: errorClass, retryable })
  })

  it('no server is class network', async () => {
    const without = await startHarness({ mail: { smtpUrl: `smtp://127.0.0.1:${await freePort()}` } })
    expect((await outcomeOf(without, 'email', mail)).error).toMatchObject({ class: 'network' })
  })

  it('is left to other workers by one that has no mailer', async () => {
    const without = await startHarness()
    const [registration] = await waitFor(
      () => without.dispatch.registrations.length > 0 && without.dispatch.registrations,
    )
    expect(registration?.executors).toContain('webhook')
    expect(registration?.executors).not.toContain('email')
    expect(harness.dispatch.registrations[0]?.executors).toContain('email')
  })
})

describe('webhook', () => {
  const secret = `whsec_${Buffer.from('a key of at least 24 bytes').toString('base64')}`
  const call = (input: object, lease: object = {}) =>
    outcomeOf(harness, 'webhook', { url: `${sink.url}/in`, payload: { n: 1 }, ...input }, lease)

  it('is signed, and the receiver can verify it', async () => {
    const { output } = await call({ secret })
    expect(output).toEqual({ status: 200 })
    const [request] = sink.requests
    expect(request).toMatchObject({ method: 'POST', url: '/in', body: '{"n":1}' })
    expect(request?.headers['webhook-id']).toBe('msg_abc123')
    const headers = request?.headers as Record<string, string>
    expect(new Webhook(secret).verify(request?.body ?? '', headers)).toEqual({ n: 1 })
  })

  it('carries id and time also without a secret', async () => {
    await call({ payload: null })
    expect(sink.requests[0]?.headers).toMatchObject({ 'webhook-id': 'msg_abc123', 'content-type': 'application/json' })
    expect(sink.requests[0]?.headers['idempotency-key']).toBe('abc123')
    expect(sink.requests[0]?.headers['webhook-signature']).toBeUndefined()
    expect(sink.requests[0]?.body).toBe('null')
  })

  it.each([
    [400, 'http_4xx', false],
    [429, 'http_4xx', true],
    [503, 'http_5xx', true],
    [302, 'unknown', true],
  ])('%i is class %s, retryable %s', async (status, errorClass, retryable) => {
    sink.otherwise({ status, headers: { location: '/other' } })
    expect((await call({})).error).toMatchObject({ class: errorClass, retryable })
    expect(sink.requests).toHaveLength(1)
  })

  it('is guarded, checked and bounded in time', async () => {
    expect((await call({ url: 'http://127.0.0.1:1/' })).error).toMatchObject({ code: 'egress_denied' })
    expect((await call({ secret: 'short' })).error).toMatchObject({ class: 'validation' })
    sink.otherwise({ destroy: true })
    expect((await call({})).error).toMatchObject({ class: 'network' })
    sink.otherwise({ status: 200, delayMs: 60_000 })
    expect((await call({}, { timeoutMs: 200 })).error).toMatchObject({ class: 'timeout' })
  })
})

describe('llm', () => {
  const key = 'sk-a-key-that-is-secret'
  const messages = [{ role: 'user', content: 'Say 1' }]
  const usage = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 }
  const schema = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } }
  const answer = (content: unknown, more: object = {}) => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      choices: [{ message: { role: 'assistant', content, ...more }, finish_reason: 'stop' }],
      usage,
    }),
  })
  const ask = (input: object = {}) =>
    outcomeOf(harness, 'llm', { baseUrl: `${sink.url}/v1/`, model: 'small', messages, ...input })

  it('answers the text and what it cost', async () => {
    sink.otherwise(answer('one'))
    expect((await ask({ apiKey: key, temperature: 0, maxTokens: 9 })).output).toEqual({ text: 'one', usage })
    const [request] = sink.requests
    expect(request).toMatchObject({ method: 'POST', url: '/v1/chat/completions' })
    expect(request?.headers.authorization).toBe(`Bearer ${key}`)
    expect(JSON.parse(request?.body ?? '')).toEqual({ model: 'small', messages, temperature: 0, max_tokens: 9 })
  })

  it('asks for structured output and checks it', async () => {
    sink.otherwise(answer('{"n":1}'))
    expect((await ask({ schema })).output).toEqual({ text: '{"n":1}', json: { n: 1 }, usage })
    expect(JSON.parse(sink.requests[0]?.body ?? '').response_format).toMatchObject({
      type: 'json_schema',
      json_schema: { schema },
    })
  })

  it.each([['not json'], ['{"n":"one"}'], ['{}'], ['[]']])(
    '%s does not fit the schema: class validation',
    async (text) => {
      sink.otherwise(answer(text))
      expect((await ask({ schema })).error).toMatchObject({ class: 'validation', code: 'output_invalid' })
    },
  )

  it.each([
    [answer(null, { refusal: 'I may not' })],
    [{ status: 200, body: 'no json' }],
    [{ status: 200, body: '{"choices":[]}' }],
  ])('an answer without text is class validation', async (reply) => {
    sink.otherwise(reply)
    expect((await ask()).error).toMatchObject({ class: 'validation' })
  })

  it.each([
    [401, 'http_4xx', false],
    [429, 'http_4xx', true],
    [500, 'http_5xx', true],
  ])('%i is class %s, retryable %s, and hides the key', async (status, errorClass, retryable) => {
    sink.otherwise({ status, body: `bad key ${key}` })
    const { error } = await ask({ apiKey: key })
    expect(error).toMatchObject({ class: errorClass, retryable })
    expect(error?.message).not.toContain(key)
  })

  it.each([
    [{ messages: [] }],
    [{ model: '' }],
    [{ baseUrl: 'nonsense' }],
    [{ schema: { type: 'odd' } }],
    [{ schema: 7 }],
    [{ temperature: 3 }],
    [{ apiKey: 'a\nb' }],
  ])('%j is refused, class validation', async (input) => {
    expect((await ask(input)).error).toMatchObject({ class: 'validation' })
    expect(sink.requests).toEqual([])
  })

  it('is guarded', async () => {
    expect((await ask({ baseUrl: 'http://169.254.169.254/v1' })).error).toMatchObject({ code: 'egress_denied' })
  })
})
