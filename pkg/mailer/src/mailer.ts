export interface MailMessage {
  /** Plain addresses (`name@host`), at most 100. */
  to: string[]
  subject: string
  text: string
  html?: string | undefined
  /** `<unique@host>`; give the same one again when a send is repeated, so that receivers can tell. */
  messageId?: string | undefined
}

export interface SendOptions {
  /** Aborting cuts the send off; the mail may have arrived all the same. */
  signal?: AbortSignal | undefined
}

export interface SentMail {
  messageId: string
  /** Recipients the server refused while it took the others. */
  rejected: string[]
}

/**
 * Errors are AppErrors: `unprocessable` `mail_invalid` (the message itself), `unprocessable` `mail_rejected` (the server
 * said no for good), `unavailable` `mail_unavailable` and `deadline_exceeded` `mail_timeout` (worth another try),
 * `cancelled` `mail_cancelled` (the caller's signal).
 */
export interface Mailer {
  send(message: MailMessage, options?: SendOptions): Promise<SentMail>
}
