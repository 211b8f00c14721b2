import type { CompensationDefinition, Definition, TaskDefinition } from './definition.js'
import type { FieldPath } from './field-path.js'
import type { CheckedGraph } from './graph/check-graph.js'

const suffix = '.compensate'

/** Nothing else ends one that no worker executes: cancelling its run does not. */
const longest = '24h'

/** The key of the task that compensates another. No key of a definition holds a dot. */
export const compensationKey = (key: string): string => `${key}${suffix}`

/** The key of the task that this one compensates. */
export const compensatedKey = (key: string): string | undefined =>
  key.endsWith(suffix) ? key.slice(0, -suffix.length) : undefined

/** Where a part of a compensation stands in its definition. */
export function compensationPath(path: FieldPath, isTask: (key: string) => boolean): FieldPath {
  const [root, key, ...rest] = path
  const owner = root === 'tasks' && typeof key === 'string' && !isTask(key) ? compensatedKey(key) : undefined
  return owner === undefined ? path : ['tasks', owner, 'compensate', ...rest]
}

/**
 * The compensations of a definition as tasks. Each needs those of the nearest tasks downstream that have one, and
 * stands after them.
 */
export function compensationTasks(
  tasks: ReadonlyMap<string, TaskDefinition>,
  graph: NonNullable<CheckedGraph['graph']>,
  defaults: Definition['defaults'] = {},
): Map<string, TaskDefinition> {
  const found = new Map<string, TaskDefinition>()
  for (const { key, name = key, compensate, after } of compensated(tasks, graph)) {
    found.set(compensationKey(key), {
      name: `Compensate ${name}`,
      totalTimeout: defaults.totalTimeout ?? longest,
      ...compensate,
      needs: after.map(compensationKey),
      when: 'all_done',
      // The run has failed already; the other compensations run all the same.
      onFailure: 'continue',
    })
  }
  return found
}

interface Compensated {
  key: string
  name: string | undefined
  compensate: CompensationDefinition
  /** The nearest tasks downstream that have a compensation. */
  after: string[]
}

/** The tasks that have a compensation, last level first. One bit a task, as in check-graph.ts. */
function* compensated(
  tasks: ReadonlyMap<string, TaskDefinition>,
  { nodes, edges }: NonNullable<CheckedGraph['graph']>,
): Iterable<Compensated> {
  if (![...tasks.values()].some(({ compensate }) => compensate)) return
  const dependents = new Map<string, string[]>(nodes.map(({ key }) => [key, []]))
  for (const { from, to } of edges) dependents.get(from)?.push(to)
  const bits = new Map(nodes.map(({ key }, index) => [key, 1n << BigInt(index)]))
  const masks = new Map<string, bigint>()
  for (const { key } of [...nodes].sort((a, b) => b.level - a.level)) {
    let mask = 0n
    for (const next of dependents.get(key) ?? []) {
      mask |= (tasks.get(next)?.compensate ? bits.get(next) : masks.get(next)) ?? 0n
    }
    masks.set(key, mask)
    const { name, compensate } = tasks.get(key) ?? {}
    if (!compensate) continue
    const set = [...mask.toString(2)].reverse()
    const after = nodes.filter((_, index) => set[index] === '1').map((node) => node.key)
    yield { key, name, compensate, after }
  }
}
