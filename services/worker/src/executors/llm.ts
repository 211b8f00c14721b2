import type { Egress, EgressResponse } from '@millrace/egress'
import { invalidOutput } from '../execution/execution-failure.js'
import type { ExecutionContext, Executor } from './executor.js'
import { callFailure, unexpectedStatus } from './http-failure.js'
import { field, type InputObject } from './input.js'
import { type LlmCall, readLlmCall } from './llm-request.js'
import { type Outgoing, peerOf } from './outgoing.js'
import { timeLimitMs } from './time-limit.js'

const maxResponseBytes = 8 * 1024 * 1024

/** Chat completions as OpenAI speaks them, and most others too. */
export function createLlmExecutor({ egress, circuits }: Outgoing): Executor {
  return {
    uses: 'llm',
    async execute(ctx) {
      const call = await readLlmCall(ctx.input, ctx.lease.runId)
      if (call.apiKey !== undefined) ctx.mask(call.apiKey)
      const response = await circuits.call(ctx, peerOf(call.url), async () => {
        const answer = await send(egress, call, ctx)
        if (answer.status < 200 || answer.status > 299) throw unexpectedStatus(answer, ctx)
        return answer
      })
      const { text, finishReason, usage } = readAnswer(response)
      ctx.log('info', 'system', `${call.model} answered ${text.length} characters, finish reason ${finishReason}`)
      if (call.validate === undefined) return { text, usage }
      return { text, json: await readJson(text, call.validate, finishReason), usage }
    },
  }
}

async function send(egress: Egress, call: LlmCall, ctx: ExecutionContext): Promise<EgressResponse> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json',
    'user-agent': 'millrace',
    'idempotency-key': ctx.lease.idempotencyKey,
    ...(call.apiKey === undefined ? {} : { authorization: `Bearer ${call.apiKey}` }),
  }
  const body = JSON.stringify(call.body)
  try {
    return await egress.fetch(call.url, {
      ...{ method: 'POST', headers, body, redirect: 'manual', signal: ctx.signal, timeoutMs: timeLimitMs(ctx) },
      maxResponseBytes,
    })
  } catch (error) {
    throw callFailure(error)
  }
}

interface Answer {
  text: string
  finishReason: string
  usage: unknown
}

function readAnswer(response: EgressResponse): Answer {
  const answer = parsed(response.body.toString('utf8'))
  const choice = firstOf(objectOr(answer).choices)
  const message = objectOr(choice.message)
  const finishReason = typeof choice.finish_reason === 'string' ? choice.finish_reason : 'unknown'
  if (typeof message.content === 'string') {
    return { text: message.content, finishReason, usage: objectOr(answer).usage ?? null }
  }
  if (typeof message.refusal === 'string') throw invalidOutput(`The model refused: ${message.refusal.slice(0, 500)}`)
  throw invalidOutput('The answer holds no text')
}

async function readJson(
  text: string,
  validate: NonNullable<LlmCall['validate']>,
  finishReason: string,
): Promise<unknown> {
  const json = parsed(text)
  if (json === undefined) {
    const why = finishReason === 'length' ? ': it was cut off' : ''
    throw invalidOutput(`The model did not answer with JSON${why}`)
  }
  const [fault] = await validate(json)
  if (fault) throw invalidOutput(`The model's JSON breaks the schema at ${fault.path || '/'}: ${fault.message}`)
  return json
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

const objectOr = (value: unknown): InputObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as InputObject) : {}

function firstOf(choices: unknown): InputObject {
  const first = Array.isArray(choices) ? objectOr(choices[0]) : {}
  if (field(first, 'message') === undefined) throw invalidOutput('The answer is no chat completion')
  return first
}
