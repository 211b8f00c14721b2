import { AppError } from '@millrace/errors'
import type { RouteHandler, RouteRequest } from '@millrace/http'
import { withTransaction } from '@millrace/postgres'
import { validate } from 'uuid'
import type { AppContext } from '../context.js'
import { audit } from './audit.js'
import { type LetterFilter, letterRequest, orAbsent } from './dead-letters.js'
import { letterAbsent } from './path-id.js'
import { problemOf } from './start-runs.js'

/** As many as one call retries; a filter that matches more says so, and is asked again. */
const maxLetters = 1_000
const pageSize = 200
const atOnce = 10

interface RetryBody {
  ids?: string[]
  filter?: LetterFilter
}

interface Outcome {
  id: string
  outcome: 'retried' | 'failed'
  error?: object
}

export function retryDeadLetters(ctx: AppContext): RouteHandler {
  return async (req) => {
    const { ids, filter } = req.body as RetryBody
    const found =
      ids === undefined
        ? await openLetters(ctx, req.identity.projectId, filter ?? {})
        : { ids: [...new Set(ids.map((id) => id.toLowerCase()))], more: false }
    const items: Outcome[] = []
    for (let at = 0; at < found.ids.length; at += atOnce) {
      items.push(...(await retrySlice(ctx, req, found.ids.slice(at, at + atOnce))))
    }
    return { status: 200, body: { items, more: found.more } }
  }
}

async function openLetters(
  ctx: AppContext,
  projectId: string,
  filter: LetterFilter,
): Promise<{ ids: string[]; more: boolean }> {
  const ids: string[] = []
  let before = { beforeAt: '', beforeId: '' }
  for (;;) {
    const request = { ...letterRequest(projectId, { ...filter, state: 'open' }), ...before, limit: pageSize }
    const letters = await ctx.scheduler.listDeadLetters(request)
    const room = maxLetters - ids.length
    ids.push(...letters.slice(0, room).map((letter) => letter.id))
    if (letters.length > room) return { ids, more: true }
    const last = letters.at(-1)
    if (last === undefined || letters.length < pageSize) return { ids, more: false }
    before = { beforeAt: last.at, beforeId: last.id }
  }
}

async function retrySlice(ctx: AppContext, req: RouteRequest, ids: readonly string[]): Promise<Outcome[]> {
  const outcomes = await Promise.all(ids.map((id) => retryOne(ctx, req.identity.projectId, id)))
  await withTransaction(ctx.pool, async (tx) => {
    for (const { id, outcome } of outcomes) {
      if (outcome === 'retried') await audit(tx, req, 'dead_letter.retried', `dead_letter:${id}`)
    }
  })
  ctx.bus.hint()
  return outcomes
}

/** What stands in the way of one is told in its place; a scheduler that is gone fails the rest of the call. */
async function retryOne(ctx: AppContext, projectId: string, id: string): Promise<Outcome> {
  try {
    if (!validate(id)) throw letterAbsent()
    await orAbsent(ctx.scheduler.retryDeadLetter(projectId, id))
    return { id, outcome: 'retried' }
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'unavailable' || error.code === 'internal') throw error
    return { id, outcome: 'failed', error: problemOf(error) }
  }
}
