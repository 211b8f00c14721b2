import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { type FieldError, unavailable } from '@millrace/errors'
import { OffThreadError, ThreadPool } from '@millrace/off-thread'
import { limits } from '../limits.js'
import type { DefinitionContentType } from '../parse.js'
import { tooComplex } from '../schema/input-schema.js'
import type { CheckedDefinition, CheckTask, Evaluated } from './tasks.js'

/** A definition of 0.9 MB and 2,000 plain tasks took 0.6 s, one full of expressions up to 4 s, a hostile one any time. */
const definitionDeadlineMs = 10_000
const inputDeadlineMs = 5_000
const threads = 2
const memoryMb = 256
const maxQueued = 1_000

let pool: ThreadPool | undefined

/** One for a process, whatever number of services it holds; started by the first task. */
function shared(): ThreadPool {
  const script = createRequire(import.meta.url).resolve('@millrace/definition/thread')
  pool ??= new ThreadPool({ script: pathToFileURL(script), threads, memoryMb, maxQueued })
  return pool
}

/** Loads the code of a thread before somebody waits for it. */
export async function warmUpChecks(): Promise<void> {
  await run({ kind: 'warm-up' }, '', definitionDeadlineMs, null)
}

export async function closeChecks(): Promise<void> {
  await pool?.close()
  pool = undefined
}

/** `key`: the project that asks. Projects take turns. */
export function checkDefinitionText(
  text: string,
  contentType: DefinitionContentType,
  key: string,
): Promise<CheckedDefinition> {
  return run({ kind: 'check-text', text, contentType }, key, definitionDeadlineMs, refused)
}

export function checkDefinitionValue(value: unknown, key: string): Promise<CheckedDefinition> {
  return run({ kind: 'check-value', value }, key, definitionDeadlineMs, refused)
}

export function checkSchemaOffThread(schema: unknown, key: string): Promise<FieldError[]> {
  return run({ kind: 'check-schema', schema }, key, definitionDeadlineMs, [tooLong('')])
}

export function checkInputOffThread(schema: unknown, input: unknown, key: string): Promise<FieldError[]> {
  return run({ kind: 'check-input', schema, input }, key, inputDeadlineMs, [tooComplex])
}

/** An expression that stands by itself, over variables of the caller's choice. Without values it is only checked. */
export function evaluateOffThread(
  expression: string,
  names: string[],
  variables: Record<string, unknown> | undefined,
  key: string,
): Promise<Evaluated> {
  const given = variables === undefined ? {} : { variables }
  const task = { kind: 'evaluate', expression, names, ...given, maxBytes: limits.inputBytes } as const
  const problem = { code: 'expression_too_expensive', message: 'the expression takes too long' }
  return run<Evaluated>(task, key, inputDeadlineMs, { problem })
}

const tooLong = (path: string): FieldError => ({ path, code: 'too_complex', message: 'takes too long to check' })
const refused: CheckedDefinition = { errors: [tooLong('')], isMalformed: false }

/** What asked for too much time or memory would do so again: that is the caller's fault. All else is ours. */
async function run<T>(task: CheckTask, key: string, deadlineMs: number, tooMuch: T): Promise<T> {
  try {
    return (await shared().run(task, { key, deadlineMs })) as T
  } catch (error) {
    if (!(error instanceof OffThreadError)) throw error
    if (error.failure === 'deadline' || error.failure === 'memory') return tooMuch
    throw unavailable('checks_unavailable', 'The definition or input cannot be checked at the moment.', error)
  }
}
