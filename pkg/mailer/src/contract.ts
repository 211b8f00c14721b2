import { AppError } from '@millrace/errors'
import PostalMime, { type Email } from 'postal-mime'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Mailer } from './mailer.js'

export interface MailerHarness {
  mailer: Mailer
  /** Every mail that arrived, as it was sent. */
  received(): Promise<string[]>
  close(): Promise<void>
}

/** What every Mailer promises; run against each adapter. */
export function mailerContract(name: string, make: () => Promise<MailerHarness>): void {
  describe(`mailer contract: ${name}`, () => {
    let harness: MailerHarness
    beforeAll(async () => {
      harness = await make()
    })
    afterAll(() => harness.close())
    const received = async (subject: string): Promise<Email[]> => {
      const mails = await Promise.all((await harness.received()).map((raw) => PostalMime.parse(raw)))
      return mails.filter((mail) => mail.subject === subject)
    }
    contentCases(() => harness.mailer, received)
    hostileCases(() => harness, received)
  })
}

type Received = (subject: string) => Promise<Email[]>

function contentCases(mailer: () => Mailer, received: Received): void {
  it('carries recipients, subject, text and html through unchanged', async () => {
    const text = 'Zeile eins – äöü\n.\n..two dots\nlong '.concat('x'.repeat(2000))
    const subject = 'Grüße: run ✓ finished'
    const sent = await mailer().send({
      to: ['a@example.com', 'b@example.com'],
      subject,
      text,
      html: '<p>ö &amp; x</p>',
    })
    const [mail] = await received(subject)
    expect(mail?.to?.map((to) => to.address)).toEqual(['a@example.com', 'b@example.com'])
    expect(mail?.text?.replaceAll('\r\n', '\n').trimEnd()).toBe(text)
    expect(mail?.html?.trim()).toBe('<p>ö &amp; x</p>')
    expect(mail?.messageId).toBe(sent.messageId)
    expect(mail?.from?.address).toMatch(/@/)
  })

  it('keeps the message id it was given', async () => {
    const messageId = '<0190c2a0-1111-7000-8000-000000000001@millrace>'
    const sent = await mailer().send({ to: ['a@example.com'], subject: 'with an id', text: 'x', messageId })
    expect(sent).toEqual({ messageId, rejected: [] })
    expect((await received('with an id'))[0]?.messageId).toBe(messageId)
  })

  it('gives mails without an id different ones', async () => {
    const one = await mailer().send({ to: ['a@example.com'], subject: 'twin', text: 'x' })
    const two = await mailer().send({ to: ['a@example.com'], subject: 'twin', text: 'x' })
    expect(one.messageId).not.toBe(two.messageId)
    expect(await received('twin')).toHaveLength(2)
  })

  it('sends many at once, each whole', async () => {
    const numbers = Array.from({ length: 20 }, (_, n) => n)
    await Promise.all(numbers.map((n) => mailer().send({ to: ['a@example.com'], subject: 'crowd', text: `no ${n}.` })))
    const texts = (await received('crowd')).map((mail) => mail.text?.trim()).sort()
    expect(texts).toEqual(numbers.map((n) => `no ${n}.`).sort())
  })
}

function hostileCases(harness: () => MailerHarness, received: Received): void {
  it('turns line breaks in a subject into spaces: no header can be added', async () => {
    await harness().mailer.send({
      to: ['a@example.com'],
      subject: 'hello\r\nBcc: victim@example.com\r\n\r\nbody\u2028x\0y',
      text: 'x',
    })
    const [mail] = await received('hello Bcc: victim@example.com body x y')
    expect(mail?.bcc ?? []).toEqual([])
    expect(mail?.headers.map((header) => header.key)).not.toContain('bcc')
  })

  const badAddresses = [
    'a@example.com\r\nBcc: victim@example.com',
    'a@example.com\n',
    'a@example.com, victim@example.com',
    'Name <a@example.com>',
    '"a b"@example.com',
    'a@-example.com',
    'a@@example.com',
    'no-at',
    '',
    'a@example.com\0',
    `${'a'.repeat(250)}@example.com`,
    'a>@example.com',
  ]
  it.each(badAddresses)('refuses the recipient %j', async (address) => {
    const before = (await harness().received()).length
    const failure = await harness()
      .mailer.send({ to: ['a@example.com', address], subject: 'never', text: 'x' })
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(AppError)
    expect(failure).toMatchObject({ reason: 'mail_invalid', retryable: false })
    expect(await harness().received()).toHaveLength(before)
  })

  it.each(['plain', '<a@b>\r\nBcc: x@y.z', '<../../etc/passwd@x>', '<a b@c>', '<@>'])(
    'refuses the message id %j',
    async (messageId) => {
      const sending = harness().mailer.send({ to: ['a@example.com'], subject: 'never', text: 'x', messageId })
      await expect(sending).rejects.toMatchObject({ reason: 'mail_invalid' })
    },
  )

  it('refuses no recipients and too many', async () => {
    const crowd = Array.from({ length: 101 }, (_, n) => `a${n}@example.com`)
    for (const to of [[], crowd]) {
      const sending = harness().mailer.send({ to, subject: 'never', text: 'x' })
      await expect(sending).rejects.toMatchObject({ reason: 'mail_invalid' })
    }
  })
}
