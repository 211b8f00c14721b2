import { randomUUID } from 'node:crypto'
import { unprocessable } from '@millrace/errors'
import type MailComposer from 'nodemailer/lib/mail-composer'
import { isMailAddress } from './address.js'
import type { MailMessage } from './mailer.js'

type ComposerOptions = NonNullable<ConstructorParameters<typeof MailComposer>[0]>

export interface PreparedMessage {
  messageId: string
  options: ComposerOptions
}

const maxRecipients = 100
const maxSubjectLength = 500
const messageIdSyntax = /^<[A-Za-z0-9._~+-]{1,128}@[A-Za-z0-9.-]{1,120}>$/

/**
 * Everything that becomes a header passes here, whatever the adapter: recipients and the message id are refused unless
 * plain, and the subject is one line. Bodies are strings, never paths or URLs.
 */
export function prepareMessage(message: MailMessage, from: string): PreparedMessage {
  assertRecipients(message.to)
  const messageId = message.messageId ?? `<${randomUUID()}@millrace>`
  if (!messageIdSyntax.test(messageId)) throw invalid('/messageId', 'The message id must look like <name@host>.')
  return {
    messageId,
    options: {
      from,
      to: message.to.map((address) => ({ name: '', address })),
      subject: oneLine(message.subject),
      text: String(message.text),
      ...(message.html === undefined ? {} : { html: String(message.html) }),
      messageId,
      headers: { 'Auto-Submitted': 'auto-generated' },
      disableFileAccess: true,
      disableUrlAccess: true,
    },
  }
}

function assertRecipients(to: readonly string[]): void {
  if (to.length === 0 || to.length > maxRecipients) {
    throw invalid('/to', `A mail has 1 to ${maxRecipients} recipients.`)
  }
  to.forEach((address, index) => {
    if (!isMailAddress(address)) throw invalid(`/to/${index}`, 'This is not a plain mail address.')
  })
}

// Line breaks of every kind become spaces; a subject cut inside a surrogate pair would not encode.
function oneLine(subject: string): string {
  const flat = subject.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()
  const points = Array.from(flat)
  return points.length <= maxSubjectLength ? flat : `${points.slice(0, maxSubjectLength - 1).join('')}…`
}

function invalid(path: string, message: string): Error {
  return unprocessable('mail_invalid', message, [{ path, code: 'mail_invalid', message }])
}
