export const errorClasses = [
  'timeout',
  'http_4xx',
  'http_5xx',
  'network',
  'validation',
  'expression',
  'lost_worker',
  'rejected',
  'cancelled',
  'user',
  'non_retryable',
  'unknown',
] as const

export type ErrorClass = (typeof errorClasses)[number]

const notRetried: ReadonlySet<string> = new Set([
  'validation',
  'expression',
  'http_4xx',
  'rejected',
  'cancelled',
  'non_retryable',
])

export const isErrorClass = (value: unknown): value is ErrorClass => errorClasses.includes(value as ErrorClass)

/**
 * Whether another attempt may follow, leaving the number of attempts aside.
 * `notOn` beats `on`; `on` names exactly the classes that are retried; without either the class decides, and a worker's
 * `retryable` flag lifts 408, 425 and 429 out of `http_4xx`.
 */
export function isRetryable(
  error: { class: string; retryable?: boolean },
  policy: { on?: readonly ErrorClass[]; notOn?: readonly ErrorClass[] } = {},
): boolean {
  if (policy.notOn?.includes(error.class as ErrorClass)) return false
  if (policy.on !== undefined) return policy.on.includes(error.class as ErrorClass)
  if (error.class === 'http_4xx') return error.retryable === true
  return !notRetried.has(error.class)
}
