import type { Egress } from '@millrace/egress'
import type { Circuits } from '../circuit/circuits.js'
import { createEmailExecutor, type Mailing } from './email.js'
import type { Executor } from './executor.js'
import { fail } from './fail.js'
import { createHttpExecutor } from './http.js'
import { createLlmExecutor } from './llm.js'
import { noop } from './noop.js'
import { createShellExecutor, type ShellOptions } from './shell/shell.js'
import { sleep } from './sleep.js'
import { createSqlExecutor } from './sql.js'
import { transform } from './transform.js'
import { createWebhookExecutor } from './webhook.js'

export type ExecutorRegistry = ReadonlyMap<string, Executor>

export function createRegistry(executors: readonly Executor[]): ExecutorRegistry {
  const registry = new Map<string, Executor>()
  for (const executor of executors) {
    if (registry.has(executor.uses)) throw new Error(`two executors serve ${executor.uses}`)
    registry.set(executor.uses, executor)
  }
  return registry
}

export interface BuiltInDeps {
  circuits: Circuits
  egress: Egress
  /** Without one `email` is left to workers that have one. */
  mail: Mailing | undefined
  shell: ShellOptions
}

export function builtInExecutors({ circuits, egress, mail, shell }: BuiltInDeps): Executor[] {
  const outgoing = { egress, circuits }
  return [
    ...[noop, fail, sleep, transform],
    ...[
      createHttpExecutor(outgoing),
      createWebhookExecutor(outgoing),
      createLlmExecutor(outgoing),
      createSqlExecutor(outgoing),
    ],
    createShellExecutor(shell),
    ...(mail ? [createEmailExecutor(mail, circuits)] : []),
  ]
}
