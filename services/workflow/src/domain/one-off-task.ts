import { type Definition, type Graph, validateDefinition } from '@millrace/definition'
import { type FieldError, unprocessable } from '@millrace/errors'

/** No workflow of a user has a colon in its name. */
export const taskWorkflowName = (type: string): string => `task:${type}`

const key = 'task'

/**
 * A definition of one task. The payload is the run's input and reaches the task as the value of one expression, which is
 * not looked into again: `${{ … }}` inside a payload stays text. So one version serves every payload of its kind.
 */
export function oneOffDefinition(type: string, retries: number | undefined): { definition: Definition; graph: Graph } {
  assertRunnable(type)
  const task = {
    uses: type,
    // `with` of a written definition is an object; a whole expression in its place is this module's alone.
    with: `\${{ input }}` as unknown as Record<string, unknown>,
    ...(retries === undefined ? {} : { retry: { maxAttempts: retries + 1 } }),
  }
  return {
    definition: { name: taskWorkflowName(type), tasks: { [key]: task } },
    graph: { nodes: [{ key, uses: type, level: 0 }], edges: [] },
  }
}

/** What this engine cannot run is refused here as in any definition. A map needs its child written out. */
function assertRunnable(type: string): void {
  const { errors } = validateDefinition({ name: key, tasks: { [key]: { uses: type } } })
  const faults = errors.filter((error) => error.path.endsWith('/uses')).map((error) => ({ ...error, path: '/type' }))
  const map: FieldError = { path: '/type', code: 'not_allowed', message: 'a map is part of a workflow' }
  const all = type === 'map' ? [map] : faults
  if (all.length > 0) throw unprocessable('invalid_request', 'The request is not valid.', all)
}
