import { AppError, internal } from '@millrace/errors'
import { createChecker, type JsonReply, type RouteHandler, type RouteRequest } from '@millrace/http'
import { matchRoute } from '@millrace/routes'
import type { AppContext } from '../context.js'
import type { CreateOutcome, RunOrder } from '../create-runs.js'
import { audit } from './audit.js'
import { workflowAbsent, workflowNameOf } from './path-id.js'
import { orderOf, type StartRunBody } from './start-run.js'

type Outcome = { id: string } | { error: object }

/** Many runs in one transaction. What is wrong with one is said in its place and does not touch the others. */
export function startRuns(ctx: AppContext): RouteHandler {
  const check = itemChecker()
  return async (req) => {
    const name = workflowNameOf(req)
    const { items } = req.body as { items: unknown[] }
    const read = items.map((item) => readItem(req, name, item, check))
    const orders = read.filter((order): order is RunOrder => !(order instanceof AppError))
    // Also when nothing is left to start, so that an absent workflow is always told.
    await ctx.versions.resolve(req.identity.projectId, name, 0).catch((error: unknown) => {
      throw error instanceof AppError && error.code === 'not_found' ? workflowAbsent() : error
    })
    let reply: JsonReply | undefined
    await ctx.runCreator.createMany(orders, async (tx, made) => {
      reply = { status: 202, body: { items: inOrder(read, made) } }
      if (made.some((outcome) => !(outcome instanceof AppError))) {
        await audit(tx, req, 'run.batch_started', `workflow:${name}`)
      }
      await req.settle(tx, reply)
    })
    if (reply === undefined) throw internal('a batch was not settled')
    return reply
  }
}

/** An item is what the body of a single start is. */
function itemChecker(): (value: unknown) => void {
  const schema = matchRoute('POST', '/api/v1/workflows/any/runs')?.route.body?.schema
  if (schema === undefined) throw internal('the route of a single start has no schema')
  return createChecker(schema)
}

function readItem(
  req: RouteRequest,
  name: string,
  item: unknown,
  check: (value: unknown) => void,
): RunOrder | AppError {
  try {
    check(item)
    return orderOf(req, name, item as StartRunBody)
  } catch (error) {
    if (error instanceof AppError && error.code !== 'internal') return error
    throw error
  }
}

function inOrder(read: readonly (RunOrder | AppError)[], made: readonly CreateOutcome[]): Outcome[] {
  let next = 0
  return read.map((order) => {
    const outcome = order instanceof AppError ? order : (made[next++] as CreateOutcome)
    return outcome instanceof AppError ? { error: problemOf(outcome) } : { id: outcome.id }
  })
}

export const problemOf = ({ reason, message, fieldErrors }: AppError): object => ({
  code: reason,
  message,
  ...(fieldErrors === undefined ? {} : { errors: fieldErrors }),
})
