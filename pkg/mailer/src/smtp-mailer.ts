import { Socket } from 'node:net'
import { AppError, cancelled, deadlineExceeded, unavailable, unprocessable } from '@millrace/errors'
import { createTransport } from 'nodemailer'
import type { Mailer } from './mailer.js'
import { type PreparedMessage, prepareMessage } from './prepare-message.js'

export interface SmtpMailerOptions {
  from?: string | undefined
  /** For one whole send: name, connect, TLS, login and message. */
  timeoutMs?: number | undefined
}

/** One connection a mail: mails are few, and a connection of its own can be cut when its time is over. */
export function createSmtpMailer(url: string, options: SmtpMailerOptions = {}): Mailer {
  const { protocol, hostname } = new URL(url)
  if ((protocol !== 'smtp:' && protocol !== 'smtps:') || hostname === '') {
    throw new TypeError('an SMTP URL looks like smtp://user:password@host:587 or smtps://…')
  }
  const from = options.from ?? 'Millrace <millrace@localhost>'
  const timeoutMs = options.timeoutMs ?? 20_000
  return {
    send: async (message, { signal } = {}) => {
      const prepared = prepareMessage(message, from)
      const late = AbortSignal.timeout(timeoutMs)
      try {
        return await sendOnce(url, prepared, timeoutMs, signal ? AbortSignal.any([late, signal]) : late)
      } catch (error) {
        throw toMailError(error, late, signal)
      }
    },
  }
}

/**
 * The library's own limits are for each phase or for silence; a server that trickles would hold the call for ever. So the
 * socket is ours, to be cut when the whole took too long; and what cannot be cut (a lookup of names) is left behind.
 */
async function sendOnce(url: string, prepared: PreparedMessage, timeoutMs: number, signal: AbortSignal) {
  signal.throwIfAborted()
  const socket = new Socket()
  const transport = createTransport({
    url,
    socket,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  let cut: (() => void) | undefined
  const aborted = new Promise<never>((_, reject) => {
    cut = () => {
      socket.destroy(new Error('cut off'))
      reject(signal.reason as Error)
    }
    signal.addEventListener('abort', cut, { once: true })
  })
  try {
    const info = await Promise.race([transport.sendMail(prepared.options), aborted])
    return { messageId: prepared.messageId, rejected: info.rejected.map(String) }
  } finally {
    if (cut) signal.removeEventListener('abort', cut)
    transport.close()
  }
}

function toMailError(error: unknown, late: AbortSignal, caller: AbortSignal | undefined): AppError {
  if (error instanceof AppError) return error
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown }
  if (late.aborted || code === 'ETIMEDOUT')
    return deadlineExceeded('mail_timeout', 'The mail server did not answer in time.', error)
  if (caller?.aborted) return cancelled('mail_cancelled', 'The mail was cut off.', error)
  if (typeof responseCode === 'number' && responseCode >= 500 && code !== 'EAUTH') {
    return rejectedForGood(responseCode, error)
  }
  return unavailable(
    'mail_unavailable',
    `The mail server could not take the mail${reasonOf(code, responseCode)}.`,
    error,
  )
}

function rejectedForGood(responseCode: number, cause: unknown): AppError {
  const rejection = unprocessable('mail_rejected', `The mail server refused the mail (${responseCode}).`)
  rejection.cause = cause
  return rejection
}

function reasonOf(code: unknown, responseCode: unknown): string {
  if (typeof responseCode === 'number') return ` (${responseCode})`
  return typeof code === 'string' ? ` (${code})` : ''
}
