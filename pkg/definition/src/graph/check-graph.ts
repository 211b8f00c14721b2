import type { Graph, TaskDefinition } from '../definition.js'
import type { LocatedProblem } from '../schema/check-schema.js'
import { sortGraph } from './find-cycles.js'

export interface Upstream {
  has(task: string, other: string): boolean
  keysOf(task: string): string[]
}

export interface CheckedGraph {
  problems: LocatedProblem[]
  graph?: Graph
  /** What ends before a task can begin. Absent when there is a cycle. */
  upstream?: Upstream
}

export function checkGraph(tasks: ReadonlyMap<string, Pick<TaskDefinition, 'uses' | 'needs'>>): CheckedGraph {
  const keys = [...tasks.keys()]
  const indexOf = new Map(keys.map((key, index) => [key, index]))
  const problems: LocatedProblem[] = []
  const needs = keys.map((key) => resolveNeeds(key, tasks.get(key)?.needs ?? [], indexOf, problems))
  const { levels, cycles } = sortGraph(needs)
  for (const cycle of cycles) problems.push(cycleProblem(cycle.map((index) => keys[index] as string)))
  if (cycles.length > 0) return { problems }
  const graph = {
    nodes: keys.map((key, index) => ({ key, uses: tasks.get(key)?.uses ?? '', level: levels[index] ?? 0 })),
    edges: needs.flatMap((list, index) =>
      list.map((need) => ({ from: keys[need] as string, to: keys[index] as string })),
    ),
  }
  return { problems, graph, upstream: upstreamOf(keys, needs, levels) }
}

function resolveNeeds(
  key: string,
  needs: readonly string[],
  indexOf: Map<string, number>,
  problems: LocatedProblem[],
): number[] {
  const found = new Set<number>()
  needs.forEach((need, position) => {
    const path = ['tasks', key, 'needs', position]
    const index = indexOf.get(need)
    if (need === key) problems.push({ path, code: 'self_need', message: `${key} needs itself` })
    else if (index === undefined) problems.push({ path, code: 'unknown_need', message: `there is no task ${need}` })
    else if (found.has(index)) problems.push({ path, code: 'duplicate_need', message: `${need} is named twice` })
    else found.add(index)
  })
  return [...found]
}

function cycleProblem(keys: string[]): LocatedProblem {
  return {
    path: ['tasks', keys[0] as string, 'needs'],
    code: 'cycle',
    message: `these tasks wait for each other: ${[...keys, keys[0]].join(' → ')}`,
  }
}

/** One bit a task: 2,000 tasks in a row would be two million entries as sets. */
function upstreamOf(keys: string[], needs: number[][], levels: (number | undefined)[]): Upstream {
  const indexOf = new Map(keys.map((key, index) => [key, index]))
  const order = keys.map((_, i) => i).sort((a, b) => (levels[a] ?? 0) - (levels[b] ?? 0))
  const masks: bigint[] = new Array(keys.length).fill(0n)
  for (const index of order) {
    let mask = 0n
    for (const need of needs[index] ?? []) mask |= (masks[need] ?? 0n) | (1n << BigInt(need))
    masks[index] = mask
  }
  const maskOf = (task: string): bigint => masks[indexOf.get(task) ?? -1] ?? 0n
  const bit = (mask: bigint, index: number | undefined): boolean =>
    index !== undefined && ((mask >> BigInt(index)) & 1n) === 1n
  return {
    has: (task, other) => bit(maskOf(task), indexOf.get(other)),
    keysOf(task) {
      const mask = maskOf(task)
      return keys.filter((_, index) => bit(mask, index))
    },
  }
}
