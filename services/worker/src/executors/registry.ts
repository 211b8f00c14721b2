import type { Egress } from '@millrace/egress'
import type { Executor } from './executor.js'
import { fail } from './fail.js'
import { createHttpExecutor } from './http.js'
import { noop } from './noop.js'
import { sleep } from './sleep.js'
import { transform } from './transform.js'

export type ExecutorRegistry = ReadonlyMap<string, Executor>

export function createRegistry(executors: readonly Executor[]): ExecutorRegistry {
  const registry = new Map<string, Executor>()
  for (const executor of executors) {
    if (registry.has(executor.uses)) throw new Error(`two executors serve ${executor.uses}`)
    registry.set(executor.uses, executor)
  }
  return registry
}

export function builtInExecutors(egress: Egress): Executor[] {
  return [noop, fail, sleep, transform, createHttpExecutor(egress)]
}
