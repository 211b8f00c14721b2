import { allFeatures, type Definition, validateDefinition } from '@millrace/definition'
import { Chance } from './chance.js'

const whens = ['all_success', 'all_success', 'all_done', 'any_success', 'any_failed', 'none_failed']

export const projects = ['5a5a5a5a-0000-4000-a000-000000000001', '5a5a5a5a-0000-4000-a000-000000000002']

/** Queues that tasks stand in. */
export const queues = ['default', 'side']

/** Executors that simulated workers have. */
export const executors = ['noop', 'transform', 'custom.fn', 'sleep']

function taskOf(chance: Chance, index: number, mayHaveChildren: boolean): Record<string, unknown> {
  const needs = Array.from({ length: index }, (_, i) => `t${i}`).filter(() => chance.bool(0.45))
  const earlier = needs[0]
  const common = {
    ...(needs.length > 0 ? { needs, when: chance.pick(whens) } : {}),
    ...(chance.bool(0.1) ? { if: '${{ input.on }}' } : {}),
    ...(chance.bool(0.3) ? { onFailure: 'continue' } : {}),
    ...(chance.bool(0.15) ? { totalTimeout: `${chance.int(300, 4000)}ms` } : {}),
    ...(index % 2 === 0 ? { compensate: compensationOf(index) } : {}),
    retry: {
      maxAttempts: chance.int(1, 3),
      backoff: chance.pick(['fixed', 'linear', 'exponential']),
      delay: `${chance.int(5, 600)}ms`,
      jitter: chance.pick(['none', 'full']),
    },
  }
  const kind = chance.real()
  if (kind < 0.07) return { ...common, uses: 'approval', ...(chance.bool(0.5) ? { timeout: '3s' } : {}) }
  if (kind < 0.14) {
    return {
      ...common,
      uses: 'signal',
      with: { name: chance.pick(['go', 'stop']) },
      ...(chance.bool(0.5) ? { timeout: '3s' } : {}),
    }
  }
  if (kind < 0.18) return { ...common, uses: 'sleep', with: { duration: '6s' } }
  if (kind < 0.25 && mayHaveChildren) {
    return { ...common, uses: 'workflow', with: { name: childName(chance.int(0, CHILDREN - 1)), input: { on: true } } }
  }
  if (kind < 0.37) return { ...common, ...mapOf(chance) }
  const read = earlier && chance.bool(0.4) ? { seen: `\${{ tasks.${earlier}.output }}` } : {}
  const uses = chance.pick(['noop', 'transform', 'custom.fn'])
  const value = { n: index, ...read }
  return {
    ...common,
    uses,
    with: uses === 'noop' ? { output: value } : { value },
    priority: chance.int(1, 9),
    queue: chance.pick(queues),
    ...(chance.bool(0.25) ? { concurrency: { limit: chance.int(1, 2), key: chance.pick(['a', 'b']) } } : {}),
    ...(chance.bool(0.1) ? { rateLimit: { limit: chance.int(1, 3), per: '1s', key: chance.pick(['r', 'a']) } } : {}),
    ...(chance.bool(0.3) ? { timeout: `${chance.int(200, 1500)}ms` } : {}),
    ...(chance.bool(0.1) ? { queueTimeout: `${chance.int(200, 3000)}ms` } : {}),
  }
}

/** Draws nothing, so that every seed keeps the definitions that it had. */
function compensationOf(index: number): Record<string, unknown> {
  const undo = {
    uses: 'custom.fn',
    with: { value: `\${{ tasks.t${index}.output }}` },
    retry: { maxAttempts: 2, delay: '50ms' },
  }
  if (index % 4 === 0) return { ...undo, timeout: '1s' }
  return { uses: 'map', with: { items: [1, 2], task: undo } }
}

/** A few items, some of which fail, a few at a time. */
function mapOf(chance: Chance): Record<string, unknown> {
  const items = Array.from({ length: chance.int(0, 6) }, (_, i) => i)
  const uses = chance.pick(['noop', 'transform', 'custom.fn', 'sleep'])
  const wrong = chance.bool(0.1) ? '${{ 6 / (item - 2) }}' : '${{ item }}'
  const task = {
    uses,
    with: uses === 'sleep' ? { duration: '6s' } : uses === 'noop' ? { output: wrong } : { value: wrong },
    queue: chance.pick(queues),
    retry: { maxAttempts: chance.int(1, 3), delay: `${chance.int(5, 400)}ms`, jitter: chance.pick(['none', 'full']) },
    ...(chance.bool(0.2) ? { timeout: `${chance.int(200, 1500)}ms` } : {}),
    ...(chance.bool(0.15) ? { queueTimeout: `${chance.int(200, 3000)}ms` } : {}),
    ...(chance.bool(0.15) ? { totalTimeout: `${chance.int(300, 4000)}ms` } : {}),
    ...(chance.bool(0.25) ? { concurrency: { limit: chance.int(1, 2), key: chance.pick(['a', 'b']) } } : {}),
    ...(chance.bool(0.1) ? { rateLimit: { limit: chance.int(1, 3), per: '1s', key: chance.pick(['r', 'a']) } } : {}),
  }
  return {
    uses: 'map',
    with: { items, task, ...(chance.bool(0.6) ? { maxParallel: chance.int(1, 3) } : {}) },
    ...(chance.bool(0.2) ? { timeout: `${chance.int(500, 4000)}ms` } : {}),
  }
}

const onLimits = ['queue', 'queue', 'cancel-new', 'cancel-oldest']

/** Definitions below this are those of children, which have none themselves. */
export const CHILDREN = 40
export const childName = (index: number): string => `child-${index}`
export const childIndex = (name: string): number => Number(name.slice('child-'.length))

const made = new Map<number, Definition>()

/** One of a fixed family of random definitions: making one costs more than a whole small simulation. */
export function definitionOf(index: number): Definition {
  const known = made.get(index)
  if (known) return known
  const chance = new Chance(index + 1_000_003)
  const count = chance.int(1, 5)
  const source = {
    name: 'simulated',
    ...(chance.bool(0.2) ? { timeout: `${chance.int(1, 8)}s` } : {}),
    ...(chance.bool(0.3) ? { concurrency: { limit: chance.int(1, 2), onLimit: chance.pick(onLimits) } } : {}),
    tasks: Object.fromEntries(Array.from({ length: count }, (_, i) => [`t${i}`, taskOf(chance, i, index >= CHILDREN)])),
  }
  const result = validateDefinition(source, { supported: allFeatures })
  if (!result.definition) throw new Error(JSON.stringify({ source, errors: result.errors }))
  made.set(index, result.definition)
  return result.definition
}
