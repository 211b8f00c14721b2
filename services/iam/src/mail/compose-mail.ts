import type { MailMessage } from '@millrace/mailer'
import type { Pool } from '@millrace/postgres'
import { findInvitation } from '../db/invitations.js'
import type { MailJob } from '../db/mail-jobs.js'
import {
  countRecentUserTokens,
  insertInvitationToken,
  insertUserToken,
  type UserTokenPurpose,
} from '../db/one-time-tokens.js'
import { findUserByEmail } from '../db/users.js'
import { hashOf, newOneTimeToken } from '../security/secret-text.js'
import { invitationMail, type MailText, resetMail, verifyMail } from './mail-texts.js'

const MAX_MAILS_PER_HOUR = 5
const lives: Record<UserTokenPurpose, number> = { reset: 3_600_000, verify: 3 * 86_400_000 }

export interface ComposedMail {
  message: MailMessage
  tokenHash: Buffer
}

/** Makes the token and the mail that carries it; undefined when nobody is to get one. */
export async function composeMail(pool: Pool, publicUrl: string, job: MailJob): Promise<ComposedMail | undefined> {
  const token = newOneTimeToken()
  const tokenHash = hashOf(token)
  const mail = await textOf(pool, publicUrl, job, token, tokenHash)
  if (!mail) return undefined
  // The same id for every try, so that a mail that was sent twice after all is seen as one.
  const message = { ...mail, to: [job.address], messageId: `<${job.id}@millrace>` }
  return { message, tokenHash }
}

function textOf(
  pool: Pool,
  publicUrl: string,
  job: MailJob,
  token: string,
  hash: Buffer,
): Promise<MailText | undefined> {
  if (job.kind === 'invitation') return invitationText(pool, `${publicUrl}/invitations/${token}`, job, hash)
  const link = `${publicUrl}/${job.kind}?token=${token}`
  return userText(pool, job.kind, job.address, hash, link)
}

async function invitationText(pool: Pool, link: string, { invitationId }: MailJob, hash: Buffer) {
  const invitation = invitationId === null ? undefined : await findInvitation(pool, invitationId)
  if (!invitation) return undefined
  await insertInvitationToken(pool, invitation.id, hash)
  return invitationMail(link, invitation)
}

async function userText(pool: Pool, purpose: UserTokenPurpose, address: string, hash: Buffer, link: string) {
  const user = await findUserByEmail(pool, address)
  if (!user || user.disabled || (purpose === 'verify' && user.emailVerified)) return undefined
  if ((await countRecentUserTokens(pool, purpose, user.id)) >= MAX_MAILS_PER_HOUR) return undefined
  await insertUserToken(pool, purpose, user.id, { hash, lifeMs: lives[purpose] })
  return purpose === 'verify' ? verifyMail(link) : resetMail(link, { confirmed: user.emailVerified })
}
