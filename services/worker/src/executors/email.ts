import { AppError } from '@millrace/errors'
import type { Mailer, SentMail } from '@millrace/mailer'
import type { Circuits, Peer } from '../circuit/circuits.js'
import { ExecutionFailure, invalidInput } from '../execution/execution-failure.js'
import type { ExecutionContext, Executor } from './executor.js'
import { field, type InputObject, inputObject, optionalString, requiredString } from './input.js'

/** Counts mails of a project, or gives them back; throws when it may send no more today. */
export type UseMails = (projectId: string, mails: number) => Promise<void>

export interface Mailing {
  mailer: Mailer
  peer: Peer
  useMails: UseMails
}

export function createEmailExecutor({ mailer, peer, useMails }: Mailing, circuits: Circuits): Executor {
  return {
    uses: 'email',
    async execute(ctx) {
      const input = inputObject(ctx.input)
      const to = recipients(input)
      const { projectId } = ctx.lease
      await useMails(projectId, to.length).catch(countFailure)
      const { messageId, rejected } = await circuits
        .call(ctx, peer, () => send(mailer, input, to, ctx))
        .catch(async (error: unknown) => {
          await useMails(projectId, -to.length).catch(() => undefined)
          throw error
        })
      ctx.log('info', 'system', `the mail server took the mail for ${to.length - rejected.length} of ${to.length}`)
      if (rejected.length > 0) ctx.log('warn', 'system', `refused recipients: ${rejected.join(', ')}`)
      return rejected.length === 0 ? { messageId } : { messageId, rejected }
    },
  }
}

function countFailure(error: unknown): never {
  if (error instanceof AppError && error.reason === 'quota_exceeded') {
    throw new ExecutionFailure(error.message, { class: 'non_retryable', code: error.reason, cause: error })
  }
  throw new ExecutionFailure('Mails cannot be counted right now.', {
    class: 'network',
    code: 'iam_unavailable',
    cause: error,
  })
}

/** One address, several with commas between them, or a list. */
function recipients(input: InputObject): string[] {
  const to = field(input, 'to')
  const list = typeof to === 'string' ? to.split(',') : to
  if (!Array.isArray(list) || list.length === 0 || list.some((one) => typeof one !== 'string')) {
    throw invalidInput('`to` must be an address or a list of addresses')
  }
  return (list as string[]).map((one) => one.trim())
}

async function send(mailer: Mailer, input: InputObject, to: string[], ctx: ExecutionContext): Promise<SentMail> {
  const html = optionalString(input, 'html')
  const text = optionalString(input, 'text') ?? (html === undefined ? '' : 'This message is in HTML.')
  const subject = requiredString(input, 'subject')
  // The same for every attempt: a mail that was taken although the answer got lost is known for a repeat.
  const messageId = `<${ctx.lease.idempotencyKey.slice(0, 128) || ctx.lease.taskId}@millrace>`
  try {
    return await mailer.send({ to, subject, text, html, messageId }, { signal: ctx.signal })
  } catch (error) {
    throw mailFailure(error)
  }
}

function mailFailure(error: unknown): unknown {
  if (!(error instanceof AppError)) return error
  const { message, reason } = error
  switch (reason) {
    case 'mail_invalid':
      return invalidInput(message)
    case 'mail_rejected':
      return new ExecutionFailure(message, { class: 'non_retryable', code: reason, cause: error })
    case 'mail_timeout':
      return new ExecutionFailure(message, { class: 'timeout', code: reason, cause: error })
    case 'mail_unavailable':
      return new ExecutionFailure(message, { class: 'network', code: reason, cause: error })
    default:
      return error
  }
}
