export interface MailText {
  subject: string
  text: string
}

const FOOTER = 'If you did not expect this mail, you need not do anything.'

/** Lines stay below 76 characters, so that no mail program breaks a link. */
const body = (...paragraphs: string[]): string => `${[...paragraphs, FOOTER].join('\n\n')}\n`

const FIRST_CONFIRMATION = `Nobody has confirmed this address yet. A new password confirms it, and
revokes the API keys, service accounts and open invitations that were made
with the account.
Members and webhooks stay: look at them in your project.`

export const resetMail = (link: string, { confirmed }: { confirmed: boolean }): MailText => ({
  subject: 'Reset your Millrace password',
  text: body(
    'To set a new password, open this link within one hour:',
    link,
    'It works once.',
    ...(confirmed ? [] : [FIRST_CONFIRMATION]),
  ),
})

export const verifyMail = (link: string): MailText => ({
  subject: 'Confirm your email address for Millrace',
  text: body('To confirm that this address is yours, open this link within three days:', link),
})

export const invitationMail = (link: string, project: { slug: string; role: string }): MailText => ({
  subject: `Invitation to the Millrace project ${project.slug}`,
  text: body(
    `You are invited to join the project ${project.slug}\nas ${project.role}.`,
    'To accept, sign in (or register) with this address and open this link\nwithin seven days:',
    link,
  ),
})
