import { ExpressionError, type PlanLimits, type Scope, type Template } from '@millrace/definition'
import type { TaskLimit } from './task-limits.js'

/** A key is a part of an index entry. */
const MAX_KEY_BYTES = 1024

/** As text: strings as they are, everything else as JSON. */
export function resolveKey(template: Template, scope: Scope): string {
  const value = template.evaluate(scope)
  const key = typeof value === 'string' ? value : JSON.stringify(value ?? null)
  if (key.includes('\u0000')) throw new ExpressionError('bad_key', 'the key of a limit holds a NUL character')
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) {
    throw new ExpressionError('bad_key', `the key of a limit is longer than ${MAX_KEY_BYTES} bytes`)
  }
  return key
}

/**
 * The limits of an attempt that becomes ready. Without a key of its own a limit counts the attempts of this very task,
 * over all runs of its workflow: `<workflow>/<task>`.
 */
export function resolveLimits(
  limits: PlanLimits,
  own: { workflow: string; task: string },
  scopeFor: (template: Template) => Scope,
): TaskLimit[] {
  const keyOf = (key: Template | undefined): string =>
    key === undefined ? `${own.workflow}/${own.task}` : resolveKey(key, scopeFor(key))
  const { concurrency, rateLimit } = limits
  return [
    ...(concurrency ? [{ scope: 'task' as const, key: keyOf(concurrency.key), limit: concurrency.limit }] : []),
    ...(rateLimit
      ? [{ scope: 'task_rate' as const, key: keyOf(rateLimit.key), limit: rateLimit.limit, perMs: rateLimit.perMs }]
      : []),
  ]
}
