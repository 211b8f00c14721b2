import { crashPoint } from '@millrace/crash-point'
import { AppError, conflict } from '@millrace/errors'
import { noQuotas, type ProjectQuotas, type QuotasOf } from '@millrace/iam-client'
import { createBatcher, failFaulty, isDataError, type Pool, type Tx, withTransaction } from '@millrace/postgres'
import { giveBackRuns, takeRuns } from './db/daily-runs.js'
import { type InsertOutcome, insertRunRequests, type NewRunRequest } from './db/insert-run-requests.js'
import { type DedupeKey, findByDedupeKeys, type RunRequest } from './db/run-requests.js'
import { checkLabels } from './domain/labels.js'
import { checkInput, planRun, type RunOrder, serialiseInput } from './run-order.js'
import { newRunMetrics } from './telemetry.js'
import type { VersionCache } from './version-cache.js'

export type { RunOrder } from './run-order.js'

export interface CreatedRun {
  run: RunRequest
  existing: boolean
}

/** What became of one order of many: a run, or why there is none. */
export type CreateOutcome = RunRequest | AppError

/** The only place that creates runs. */
export interface RunCreator {
  create(order: RunOrder): Promise<CreatedRun>
  /**
   * All of them in one transaction and, unless a version is overtaken meanwhile, one statement. An order that breaks a
   * rule has its error in its place and does not touch the others. `settle` runs in that transaction.
   */
  createMany(
    orders: readonly RunOrder[],
    settle: (tx: Tx, outcomes: readonly CreateOutcome[]) => Promise<void>,
  ): Promise<CreateOutcome[]>
  close(): Promise<void>
}

interface RunCreatorOptions {
  pool: Pool
  quotas: QuotasOf
  versions: VersionCache
  /** Those that are to begin, in a commit of their own or with others. */
  onCommitted: (started: readonly RunRequest[]) => void
}

const overtakenTries = 5
const overtaken = (): AppError => conflict('workflow_changing', 'The workflow is being changed; try again.')
const isCreated = (outcome: InsertOutcome): boolean => outcome === 'created' || outcome === 'waiting'

export function createRunCreator({ pool, versions, quotas, onCommitted }: RunCreatorOptions): RunCreator {
  const batcher = createBatcher<NewRunRequest, InsertOutcome>({
    // One request that the database refuses must not fail its neighbours.
    run: (items) => failFaulty(items, (part) => insertBatch(pool, part, onCommitted), isDataError),
    maxBatch: 500,
    concurrency: 2,
  })
  const lookups = createBatcher<DedupeKey, RunRequest | undefined>({
    run: (keys) => findByDedupeKeys(pool, keys),
    maxBatch: 500,
    concurrency: 2,
  })
  const findExisting = async ({ dedupeKey: key, projectId }: RunOrder): Promise<RunRequest | undefined> =>
    key === undefined ? undefined : lookups.submit({ projectId, key })
  return {
    async create(order) {
      const existing = await findExisting(order)
      if (existing !== undefined) return { run: existing, existing: true }
      checkLabels(order.labels)
      const inputJson = serialiseInput(order.input)
      for (let tries = 0; tries < overtakenTries; tries++) {
        const version = await versions.resolve(order.projectId, order.workflow, order.version)
        await checkInput(version, order.input, order.projectId)
        const planned = planRun(order, version, inputJson)
        const limits = await quotas(order.projectId)
        const outcome =
          order.settle || limits.runsPerDay !== null
            ? await insertAlone(pool, planned, limits, order.settle, onCommitted)
            : await batcher.submit(planned)
        if (isCreated(outcome)) return { run: createdAs(planned, outcome), existing: false }
        if (outcome === 'stale') versions.forget(order.projectId, order.workflow, order.version)
        else {
          const first = await findExisting(order)
          if (first !== undefined) return { run: first, existing: true }
        }
      }
      throw overtaken()
    },
    createMany: async (orders, settle) => {
      const [first] = orders
      const limits = first ? await quotas(first.projectId) : noQuotas
      return createMany(pool, versions, limits, orders, settle, onCommitted)
    },
    close: async () => {
      await Promise.all([batcher.close(), lookups.close()])
    },
  }
}

const createdAs = ({ run }: NewRunRequest, outcome: InsertOutcome): RunRequest => ({
  ...run,
  waiting: outcome === 'waiting',
})

async function insertBatch(
  pool: Pool,
  items: readonly NewRunRequest[],
  onCommitted: RunCreatorOptions['onCommitted'],
): Promise<InsertOutcome[]> {
  crashPoint('workflow.create-runs.before')
  const outcomes = await insertRunRequests(pool, items)
  crashPoint('workflow.create-runs.committed')
  newRunMetrics.batchSize.observe(items.length)
  onCommitted(items.flatMap(({ run }, i) => (outcomes[i] === 'created' ? [run] : [])))
  return outcomes
}

async function insertAlone(
  pool: Pool,
  planned: NewRunRequest,
  limits: ProjectQuotas,
  settle: RunOrder['settle'],
  onCommitted: RunCreatorOptions['onCommitted'],
): Promise<InsertOutcome> {
  const { projectId } = planned.run
  const outcome = await withTransaction(pool, async (tx) => {
    await takeRuns(tx, projectId, 1, limits)
    const [made = 'stale'] = await insertRunRequests(tx, [planned])
    if (isCreated(made)) await settle?.(tx, createdAs(planned, made))
    else if (limits.runsPerDay !== null) await giveBackRuns(tx, projectId, 1)
    crashPoint('workflow.create-run.settled')
    return made
  })
  crashPoint('workflow.create-run.committed')
  if (isCreated(outcome)) onCommitted(outcome === 'created' ? [planned.run] : [])
  return outcome
}

async function createMany(
  pool: Pool,
  versions: VersionCache,
  limits: ProjectQuotas,
  orders: readonly RunOrder[],
  settle: (tx: Tx, outcomes: readonly CreateOutcome[]) => Promise<void>,
  onCommitted: RunCreatorOptions['onCommitted'],
): Promise<CreateOutcome[]> {
  let plans = await planAll(versions, orders)
  const outcomes = await withTransaction(pool, async (tx) => {
    const results: CreateOutcome[] = plans.map((plan) => (plan instanceof AppError ? plan : overtaken()))
    const projectId = orders[0]?.projectId ?? ''
    const taken = plans.filter((plan) => !(plan instanceof AppError)).length
    await takeRuns(tx, projectId, taken, limits)
    for (let tries = 0; tries < overtakenTries; tries++) {
      const open = plans.flatMap((plan, at) => (plan instanceof AppError ? [] : [{ plan, at }]))
      if (open.length === 0) break
      const made = await insertRunRequests(
        tx,
        open.map(({ plan }) => plan),
      )
      const stale = new Set<number>()
      open.forEach(({ plan, at }, index) => {
        const outcome = made[index] ?? 'stale'
        if (isCreated(outcome)) results[at] = createdAs(plan, outcome)
        else stale.add(at)
      })
      if (stale.size === 0) break
      plans = await planAll(
        versions,
        orders.map((order, at) => (stale.has(at) ? order : undefined)),
        true,
      )
      for (const at of stale) if (plans[at] instanceof AppError) results[at] = plans[at]
    }
    if (limits.runsPerDay !== null) {
      await giveBackRuns(tx, projectId, taken - results.filter((result) => !(result instanceof AppError)).length)
    }
    await settle(tx, results)
    return results
  })
  newRunMetrics.batchSize.observe(outcomes.length)
  onCommitted(outcomes.flatMap((outcome) => (outcome instanceof AppError || outcome.waiting ? [] : [outcome])))
  return outcomes
}

const passedOver = overtaken()

/** An order that is not given any more is passed over. */
async function planAll(
  versions: VersionCache,
  orders: readonly (RunOrder | undefined)[],
  anew = false,
): Promise<(NewRunRequest | AppError)[]> {
  const plans: (NewRunRequest | AppError)[] = []
  for (const order of orders) if (anew && order) versions.forget(order.projectId, order.workflow, order.version)
  for (const order of orders) plans.push(order ? await planOne(versions, order) : passedOver)
  return plans
}

async function planOne(versions: VersionCache, order: RunOrder): Promise<NewRunRequest | AppError> {
  try {
    checkLabels(order.labels)
    const inputJson = serialiseInput(order.input)
    const version = await versions.resolve(order.projectId, order.workflow, order.version)
    await checkInput(version, order.input, order.projectId)
    return planRun(order, version, inputJson, { audited: false })
  } catch (error) {
    // A workflow that is not there is no fault of one item.
    if (error instanceof AppError && error.code !== 'internal' && error.reason !== 'workflow_not_found') return error
    throw error
  }
}
