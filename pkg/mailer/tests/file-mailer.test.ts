import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFileMailer } from '@millrace/mailer'
import { mailerContract } from '@millrace/mailer/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

async function readMails(directory: string): Promise<string[]> {
  const names = await readdir(directory).catch(() => [])
  const mails = names.filter((name) => name.endsWith('.eml'))
  return Promise.all(mails.map((name) => readFile(join(directory, name), 'utf8')))
}

mailerContract('files', async () => {
  const root = await mkdtemp(join(tmpdir(), 'millrace-mail-'))
  const directory = join(root, 'not', 'there', 'yet')
  return {
    mailer: createFileMailer(directory),
    received: () => readMails(directory),
    close: () => rm(root, { recursive: true }),
  }
})

describe('file mailer', () => {
  let root: string
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'millrace-mail-'))
  })
  afterAll(() => rm(root, { recursive: true }))

  it('writes a repeated send over the first and leaves no partial file', async () => {
    const mailer = createFileMailer(root, { from: 'Ops <ops@example.com>' })
    const messageId = '<0190c2a0-1111-7000-8000-000000000002@millrace>'
    await mailer.send({ to: ['a@example.com'], subject: 'one', text: 'x', messageId })
    await mailer.send({ to: ['a@example.com'], subject: 'two', text: 'x', messageId })
    expect(await readdir(root)).toEqual(['0190c2a0-1111-7000-8000-000000000002.eml'])
    const [mail] = await readMails(root)
    expect(mail).toContain('Subject: two')
    expect(mail).toContain('From: Ops <ops@example.com>')
  })

  it('keeps ids that differ only in case apart', async () => {
    const mailer = createFileMailer(root)
    await mailer.send({ to: ['a@example.com'], subject: 'x', text: 'x', messageId: '<AbC@millrace>' })
    await mailer.send({ to: ['a@example.com'], subject: 'x', text: 'x', messageId: '<aBc@millrace>' })
    const names = (await readdir(root)).map((name) => name.toLowerCase())
    expect(new Set(names).size).toBe(3)
  })

  it('says that the folder cannot be written to', async () => {
    const file = join(root, 'a-file')
    await writeFile(file, '')
    const sending = createFileMailer(join(file, 'below')).send({ to: ['a@example.com'], subject: 'x', text: 'x' })
    await expect(sending).rejects.toMatchObject({ reason: 'mail_unavailable', retryable: true })
  })
})
