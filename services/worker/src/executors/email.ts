import { AppError } from '@millrace/errors'
import type { Mailer, SentMail } from '@millrace/mailer'
import type { Circuits, Peer } from '../circuit/circuits.js'
import { ExecutionFailure, invalidInput } from '../execution/execution-failure.js'
import type { ExecutionContext, Executor } from './executor.js'
import { field, type InputObject, inputObject, optionalString, requiredString } from './input.js'

export function createEmailExecutor(mailer: Mailer, circuits: Circuits, peer: Peer): Executor {
  return {
    uses: 'email',
    async execute(ctx) {
      const input = inputObject(ctx.input)
      const to = recipients(input)
      const { messageId, rejected } = await circuits.call(ctx, peer, () => send(mailer, input, to, ctx))
      ctx.log('info', 'system', `the mail server took the mail for ${to.length - rejected.length} of ${to.length}`)
      if (rejected.length > 0) ctx.log('warn', 'system', `refused recipients: ${rejected.join(', ')}`)
      return rejected.length === 0 ? { messageId } : { messageId, rejected }
    },
  }
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
