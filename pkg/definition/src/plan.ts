import { setImmediate } from 'node:timers/promises'
import type { FieldError } from '@millrace/errors'
import { compensatedKey, compensationTasks } from './compensation.js'
import type { ConcurrencyDefinition, Definition, RetryDefinition, TaskDefinition, When } from './definition.js'
import { parseDuration } from './duration.js'
import type { Template } from './expression/template.js'
import { toPointer } from './field-path.js'
import { checkGraph, type Upstream } from './graph/check-graph.js'
import { limits } from './limits.js'
import { checkInputOffThread } from './off-thread/checks.js'
import { defaultRetryPolicy, type RetryPolicy } from './retry-policy.js'
import { compileInputSchema, type InputValidator, isCheap } from './schema/input-schema.js'
import { checkBounds } from './schema/json-bounds.js'
import { validationCost } from './schema/schema-cost.js'
import {
  compileOutput,
  compileRunKey,
  compileTaskTemplates,
  type LimitKeys,
  type TemplateContext,
} from './task-templates.js'

export interface Plan {
  name: string
  tasks: PlanTask[]
  byKey: Map<string, number>
  timeoutMs?: number
  expectedDuration?: string
  output?: Template
  /** How many of its runs may be under way at once. */
  concurrency?: PlanConcurrency & { onLimit: NonNullable<ConcurrencyDefinition['onLimit']> }
  /** Answers at once where that is cheap, else from a thread. `key`: the project that asks. */
  validateInput(input: unknown, key: string): FieldError[] | Promise<FieldError[]>
}

export interface PlanConcurrency {
  limit: number
  /** Without one: everything that shares the definition's own name. */
  key?: Template
}

export interface PlanRate extends PlanConcurrency {
  perMs: number
}

/** What an attempt has to wait for before a worker may have it. */
export interface PlanLimits {
  concurrency?: PlanConcurrency
  rateLimit?: PlanRate
}

export interface PlanTask {
  index: number
  key: string
  name: string
  uses: string
  needs: number[]
  dependents: number[]
  when: When
  /** Evaluates to a boolean. */
  if?: Template
  with: Template
  /** Of a map: what each of its children is. */
  child?: PlanChild
  limits?: PlanLimits
  retry: RetryPolicy
  /** What the definition itself says of retries; the rest is the platform's. */
  ownRetry: RetryDefinition
  timeoutMs?: number
  queueTimeoutMs?: number
  totalTimeoutMs?: number
  onFailure: 'stop' | 'continue'
  queue: string
  priority?: number
  /** Of a compensation: the task that it undoes. Such tasks stand after all others, each after those that it needs. */
  compensates?: number
}

export interface PlanChild {
  uses: string
  with: Template
  limits?: PlanLimits
  retry: RetryPolicy
  ownRetry: RetryDefinition
  timeoutMs?: number
  queueTimeoutMs?: number
  totalTimeoutMs?: number
  queue: string
  priority?: number
}

/** As `compilePlan`, with every template compiled. Lets the event loop go on between templates. */
export async function preparePlan(definition: Definition): Promise<Plan> {
  const plan = compilePlan(definition)
  let bytes = 0
  for (const template of [plan.output, plan.concurrency?.key, ...plan.tasks.flatMap(templatesOf)]) {
    if (template === undefined || template.references === undefined) continue
    bytes += template.expressionBytes
    if (bytes < sliceBytes) continue
    bytes = 0
    await setImmediate()
  }
  return plan
}

/** About 30 ms of compiling. */
const sliceBytes = 8 * 1024

/** Every template of a task. */
export function templatesOf({ if: condition, with: input, limits, child }: PlanTask): (Template | undefined)[] {
  const keys = [limits, child?.limits].flatMap((owner) => [owner?.concurrency?.key, owner?.rateLimit?.key])
  return [condition, input, child?.with, ...keys]
}

/**
 * Everything that a run of this version needs. The definition must have been validated. Templates are compiled when they
 * are first asked for something.
 */
export function compilePlan(definition: Definition): Plan {
  const tasks = new Map(Object.entries(definition.tasks))
  const { problems, upstream, graph } = checkGraph(tasks)
  if (problems.length > 0 || upstream === undefined || graph === undefined) {
    throw new Error(`the definition was not validated: ${problems.map((p) => p.message).join('; ')}`)
  }
  const context = contextOf(tasks, upstream)
  const all = new Map([...tasks, ...compensationTasks(tasks, graph, definition.defaults)])
  const byKey = new Map([...all.keys()].map((key, index) => [key, index]))
  const planned = planTasks(definition, all, byKey, context)
  return {
    name: definition.name,
    tasks: planned,
    byKey,
    ...optional('timeoutMs', milliseconds(definition.timeout)),
    ...optional('expectedDuration', definition.expectedDuration),
    ...optional('output', compileOutput(definition, context)?.template),
    ...optional('concurrency', planRunConcurrency(definition, context)),
    validateInput: inputCheck(definition.input),
  }
}

/**
 * The event loop checks small schemas itself, since a run's start waits for it: at most `cheapSchemaParts` keywords to
 * compile, once, and `cheapValidationSteps` steps for an input. Anything else goes to a thread.
 */
function inputCheck(schema: unknown): Plan['validateInput'] {
  const cheap = isCheap(schema)
  let validator: InputValidator | undefined
  return (input, key) => {
    const bounds = checkBounds(input, limits.definitionDepth)
    if (bounds.length > 0) return bounds.map((p) => ({ ...p, path: `/input${toPointer(p.path)}` }))
    if (!cheap || validationCost(schema, input, limits.cheapValidationSteps) > limits.cheapValidationSteps) {
      return checkInputOffThread(schema, input, key)
    }
    validator ??= compileInputSchema(schema)
    return validator(input)
  }
}

/** A compensation sees every task: all have ended before it begins. */
function contextOf(tasks: ReadonlyMap<string, unknown>, upstream: Upstream): TemplateContext {
  const allTasks = [...tasks.keys()]
  return {
    isTask: (key) => tasks.has(key),
    allTasks,
    upstream: (key) => (tasks.has(key) ? upstream.keysOf(key) : allTasks),
  }
}

function planTasks(
  definition: Definition,
  tasks: Map<string, TaskDefinition>,
  byKey: Map<string, number>,
  context: TemplateContext,
): PlanTask[] {
  const planned = [...tasks].map(([key, task], index) => planTask(definition, key, task, index, byKey, context))
  for (const task of planned) for (const need of task.needs) planned[need]?.dependents.push(task.index)
  return planned
}

function planTask(
  definition: Definition,
  key: string,
  task: TaskDefinition,
  index: number,
  byKey: Map<string, number>,
  context: TemplateContext,
): PlanTask {
  const merged = { ...definition.defaults, ...task }
  const ownRetry = { ...definition.defaults?.retry, ...task.retry }
  const templates = compileTaskTemplates(key, task, context)
  const isMap = task.uses === 'map'
  // The defaults' time limits are meant for work, which in a map its children do.
  const limited = isMap ? task : merged
  return {
    index,
    key,
    name: task.name ?? key,
    uses: task.uses,
    needs: (task.needs ?? []).map((need) => byKey.get(need) as number),
    dependents: [],
    when: task.when ?? 'all_success',
    with: templates.with,
    ...optional('if', templates.if),
    ...optional('child', templates.child && planChild(definition, task, templates.child, templates)),
    ...optional('limits', isMap ? undefined : planLimits(task, templates.keys)),
    // A map is tried once: its children have their own attempts.
    retry: retryPolicy(isMap ? { maxAttempts: 1 } : ownRetry),
    ownRetry,
    ...timeLimits(limited),
    onFailure: merged.onFailure ?? 'stop',
    queue: merged.queue ?? 'default',
    ...optional('priority', merged.priority),
    ...optional('compensates', byKey.get(compensatedKey(key) ?? '')),
  }
}

/** What the inner task does not say itself it has from the map, then from the defaults; the map's time limits are its own. */
function planChild(
  definition: Definition,
  map: TaskDefinition,
  template: Template,
  { keys, childKeys }: { keys: LimitKeys; childKeys: LimitKeys },
): PlanChild {
  const inner = map.with?.task as TaskDefinition
  const { defaults = {} } = definition
  const merged = { ...defaults, ...inner }
  const ownRetry = { ...defaults.retry, ...map.retry, ...inner.retry }
  const queueTimeout = inner.queueTimeout ?? map.queueTimeout ?? defaults.queueTimeout
  return {
    uses: inner.uses,
    with: template,
    ...optional('limits', planLimits(inner, childKeys, planLimits(map, keys))),
    retry: retryPolicy(ownRetry),
    ownRetry,
    ...timeLimits({ ...merged, ...optional('queueTimeout', queueTimeout) }),
    queue: inner.queue ?? map.queue ?? defaults.queue ?? 'default',
    ...optional('priority', inner.priority ?? map.priority ?? defaults.priority),
  }
}

function timeLimits(
  task: Pick<TaskDefinition, 'timeout' | 'queueTimeout' | 'totalTimeout'>,
): Pick<PlanTask, 'timeoutMs' | 'queueTimeoutMs' | 'totalTimeoutMs'> {
  return {
    ...optional('timeoutMs', milliseconds(task.timeout)),
    ...optional('queueTimeoutMs', milliseconds(task.queueTimeout)),
    ...optional('totalTimeoutMs', milliseconds(task.totalTimeout)),
  }
}

function planRunConcurrency(definition: Definition, context: TemplateContext): Plan['concurrency'] {
  const { concurrency } = definition
  if (concurrency === undefined) return undefined
  const { limit, onLimit = 'queue' } = concurrency
  return { limit, onLimit, ...optional('key', compileRunKey(concurrency.key, context)?.template) }
}

function planLimits(
  { concurrency, rateLimit }: Pick<TaskDefinition, 'concurrency' | 'rateLimit'>,
  keys: LimitKeys,
  otherwise?: PlanLimits,
): PlanLimits | undefined {
  if (concurrency === undefined && rateLimit === undefined) return otherwise
  return {
    ...otherwise,
    ...(concurrency ? { concurrency: { limit: concurrency.limit, ...optional('key', keys.concurrency) } } : {}),
    ...(rateLimit
      ? {
          rateLimit: {
            limit: rateLimit.limit,
            perMs: milliseconds(rateLimit.per) ?? 0,
            ...optional('key', keys.rateLimit),
          },
        }
      : {}),
  }
}

export function retryPolicy(retry: RetryDefinition = {}): RetryPolicy {
  const delayMs = milliseconds(retry.delay) ?? defaultRetryPolicy.delayMs
  return {
    maxAttempts: retry.maxAttempts ?? defaultRetryPolicy.maxAttempts,
    backoff: retry.backoff ?? defaultRetryPolicy.backoff,
    delayMs,
    // A delay above the default bound was meant: only a bound that was written down may cut it.
    maxDelayMs: milliseconds(retry.maxDelay) ?? Math.max(defaultRetryPolicy.maxDelayMs, delayMs),
    jitter: retry.jitter ?? defaultRetryPolicy.jitter,
    ...optional('on', retry.on),
    ...optional('notOn', retry.notOn),
  }
}

const milliseconds = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : parseDuration(text)

function optional<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: V }
}
