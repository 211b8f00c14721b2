import { createFileMailer } from './file-mailer.js'
import type { Mailer } from './mailer.js'
import { createSmtpMailer } from './smtp-mailer.js'

export interface MailSettings {
  smtpUrl?: string | undefined
  /** Used when there is no SMTP server: each mail becomes a file here. */
  directory?: string | undefined
  from?: string | undefined
}

export function createMailer({ smtpUrl, directory, from }: MailSettings): Mailer {
  if (smtpUrl !== undefined) return createSmtpMailer(smtpUrl, { from })
  if (directory !== undefined) return createFileMailer(directory, { from })
  throw new Error('no mailer: give an SMTP URL or a mail folder')
}
