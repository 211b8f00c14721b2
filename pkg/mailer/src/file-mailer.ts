import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { unavailable } from '@millrace/errors'
import MailComposer from 'nodemailer/lib/mail-composer'
import type { Mailer } from './mailer.js'
import { prepareMessage } from './prepare-message.js'

export interface FileMailerOptions {
  from?: string | undefined
}

/**
 * Each mail becomes one `.eml`, named by its message id: a reader of `*.eml` never sees half a mail, and a repeated send
 * replaces the file instead of adding one.
 */
export function createFileMailer(directory: string, options: FileMailerOptions = {}): Mailer {
  const from = options.from ?? 'Millrace <millrace@localhost>'
  return {
    async send(message) {
      const prepared = prepareMessage(message, from)
      const source = await new MailComposer(prepared.options).compile().build()
      try {
        await writeAtomically(directory, `${fileStem(prepared.messageId)}.eml`, source)
      } catch (error) {
        throw unavailable('mail_unavailable', 'The mail could not be written to the mail folder.', error)
      }
      return { messageId: prepared.messageId, rejected: [] }
    },
  }
}

async function writeAtomically(directory: string, name: string, content: Buffer): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const temporary = join(directory, `.${randomUUID()}.part`)
  try {
    const file = await open(temporary, 'wx', 0o600)
    try {
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, join(directory, name))
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

// Names are lower case: on a file system that ignores case two ids must not meet in one file.
function fileStem(messageId: string): string {
  const local = messageId.slice(1, messageId.lastIndexOf('@'))
  if (/^[a-z0-9][a-z0-9-]{0,99}$/.test(local)) return local
  return createHash('sha256').update(messageId).digest('hex').slice(0, 32)
}
