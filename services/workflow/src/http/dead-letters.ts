import { limits } from '@millrace/definition'
import { unprocessable } from '@millrace/errors'
import { decodeCursor, encodeCursor, type RouteHandler } from '@millrace/http'
import { roleAllows } from '@millrace/identity'
import { withTransaction } from '@millrace/postgres'
import { isAbsent, type ProtoLetter } from '../clients/scheduler.js'
import type { AppContext } from '../context.js'
import { audit } from './audit.js'
import { parseTime } from './parse-time.js'
import { idOf, letterAbsent } from './path-id.js'
import { letterView } from './views.js'

export interface LetterFilter {
  workflow?: string
  class?: string | string[]
  state?: string
  from?: string
  to?: string
}

interface LettersQuery extends Omit<LetterFilter, 'class' | 'state'> {
  class?: string[]
  state?: string[]
  limit: number
  cursor?: string
}

export const letterRequest = (projectId: string, filter: LetterFilter) => ({
  projectId,
  workflow: filter.workflow ?? '',
  class: filter.class?.toString() ?? '',
  state: filter.state ?? '',
  from: parseTime('/from', filter.from) ?? '',
  to: parseTime('/to', filter.to) ?? '',
})

export function listDeadLetters(ctx: AppContext): RouteHandler {
  return async (req) => {
    const { limit, cursor, class: classes = [], state: states = [], ...rest } = req.query as unknown as LettersQuery
    const filter: LetterFilter = { ...rest, class: classes.join(), state: states.join() }
    const before = cursor === undefined ? undefined : decodeCursor(cursor, { at: 'time', id: 'uuid' })
    const letters = await ctx.scheduler.listDeadLetters({
      ...letterRequest(req.identity.projectId, filter),
      limit: limit + 1,
      beforeAt: before?.at ?? '',
      beforeId: before?.id ?? '',
    })
    const shown = letters.slice(0, limit)
    const last = letters.length > limit ? shown.at(-1) : undefined
    const nextCursor = last ? encodeCursor({ at: last.at, id: last.id }) : null
    return { status: 200, body: { items: shown.map(letterView), nextCursor } }
  }
}

export function getDeadLetter(ctx: AppContext): RouteHandler {
  return async (req) => {
    const letter = await ctx.scheduler.getDeadLetter(req.identity.projectId, idOf(req.params.id, letterAbsent))
    if (letter === undefined) throw letterAbsent()
    return { status: 200, body: letterView(letter) }
  }
}

/** Whoever asks for a letter that is not there, or another project's, gets the same answer. */
export async function orAbsent<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    throw isAbsent(error) ? letterAbsent() : error
  }
}

export function retryDeadLetter(ctx: AppContext): RouteHandler {
  return async (req) => {
    const id = idOf(req.params.id, letterAbsent)
    const body = (req.body ?? {}) as { input?: unknown }
    const mayPlaceSecrets = roleAllows(req.identity.role, 'editor')
    const replacement = body.input === undefined ? {} : { inputJson: serialise(body.input), mayPlaceSecrets }
    const letter = await orAbsent(ctx.scheduler.retryDeadLetter(req.identity.projectId, id, replacement))
    await withTransaction(ctx.pool, (tx) => audit(tx, req, 'dead_letter.retried', `dead_letter:${id}`))
    ctx.bus.hint()
    return { status: 200, body: letterView(letter as ProtoLetter) }
  }
}

/** It takes the place of a resolved `with`, and has its bound. */
function serialise(input: unknown): string {
  const json = JSON.stringify(input)
  if (Buffer.byteLength(json) <= limits.resolvedBytes) return json
  throw unprocessable('input_too_large', `The input is over ${limits.resolvedBytes} bytes.`, [
    { path: '/input', code: 'too_large', message: `must be at most ${limits.resolvedBytes} bytes` },
  ])
}

export function deleteDeadLetter(ctx: AppContext): RouteHandler {
  return async (req) => {
    const id = idOf(req.params.id, letterAbsent)
    await orAbsent(ctx.scheduler.deleteDeadLetter(req.identity.projectId, id))
    await withTransaction(ctx.pool, (tx) => audit(tx, req, 'dead_letter.deleted', `dead_letter:${id}`))
    ctx.bus.hint()
    return { status: 204 }
  }
}
