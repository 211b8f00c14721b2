export { isMailAddress } from './address.js'
export { createFileMailer, type FileMailerOptions } from './file-mailer.js'
export type { Mailer, MailMessage, SendOptions, SentMail } from './mailer.js'
export { createSmtpMailer, type SmtpMailerOptions } from './smtp-mailer.js'
