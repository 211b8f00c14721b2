import { type Definition, lookalike, type TaskDefinition } from '@millrace/definition'
import type { AppContext } from '../context.js'

export interface Warning {
  path: string
  code: string
  message: string
}

/** As many workers as are asked about; a project with more of them hardly has a slip left. */
const maxWorkers = 200
const maxWarnings = 100

/**
 * What is valid and yet hardly meant: a function that nobody has registered and whose name is nearly a built-in one. A
 * scheduler that cannot be asked costs the warning, not the definition.
 */
export async function warningsOf(ctx: AppContext, projectId: string, definition: Definition): Promise<Warning[]> {
  const suspects = usesIn(definition).flatMap(({ path, uses }) => {
    const meant = lookalike(uses)
    return meant === undefined ? [] : [{ path, uses, meant }]
  })
  if (suspects.length === 0) return []
  const registered = await registeredIn(ctx, projectId)
  if (registered === undefined) return []
  return suspects
    .filter(({ uses }) => !registered.has(uses))
    .slice(0, maxWarnings)
    .map(({ path, uses, meant }) => ({
      path,
      code: 'unknown_executor',
      message: `no worker has registered ${uses}; did you mean ${meant}?`,
    }))
}

export const shown = (warnings: readonly Warning[]): { warnings?: readonly Warning[] } =>
  warnings.length > 0 ? { warnings } : {}

/** Of tasks, of the items of maps, and of compensations. */
function usesIn({ tasks }: Definition): { path: string; uses: string }[] {
  return Object.entries(tasks).flatMap(([key, task]) => {
    const at = `/tasks/${key}`
    return [...usesOf(task, at), ...(task.compensate ? usesOf(task.compensate, `${at}/compensate`) : [])]
  })
}

function usesOf(task: Pick<TaskDefinition, 'uses' | 'with'>, at: string): { path: string; uses: string }[] {
  const own = { path: `${at}/uses`, uses: task.uses }
  const item = task.uses === 'map' ? (task.with as { task?: { uses?: unknown } } | undefined)?.task?.uses : undefined
  return typeof item === 'string' ? [own, { path: `${at}/with/task/uses`, uses: item }] : [own]
}

async function registeredIn(ctx: AppContext, projectId: string): Promise<Set<string> | undefined> {
  try {
    const { workers } = await ctx.control.listWorkers({ projectId, withShared: false, limit: maxWorkers })
    return new Set(workers.flatMap(({ executors }) => executors))
  } catch (error) {
    ctx.logger.debug({ err: error }, 'workers could not be asked for; no warnings are given')
    return undefined
  }
}
