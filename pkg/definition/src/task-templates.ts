import type { Definition, TaskDefinition } from './definition.js'
import { deferTemplate, type SkipSubtree } from './expression/deferred-template.js'
import type { Shapes } from './expression/known-shape.js'
import { itemVariables, runVariables, taskVariables } from './expression/scope.js'
import {
  type CompiledTemplate,
  compileCondition,
  compileTemplate,
  type Template,
  type TemplateOptions,
} from './expression/template.js'
import type { FieldPath } from './field-path.js'
import { isObject } from './json-value.js'
import { limits } from './limits.js'

export interface TemplateContext {
  isTask(key: string): boolean
  allTasks: readonly string[]
  upstream(task: string): readonly string[]
  /** Only while validating: a definition that was accepted before is still planned. */
  shapes?: Shapes
}

const shapesOf = ({ shapes }: TemplateContext): Pick<TemplateOptions, 'shapes'> => (shapes ? { shapes } : {})

export interface TaskTemplates {
  with: Template
  if?: Template
  /** The `with` of a map's child, which also sees `item` and `index`. */
  child?: Template
  keys: LimitKeys
  /** Keys of a map's child. */
  childKeys: LimitKeys
}

export interface LimitKeys {
  concurrency?: Template
  rateLimit?: Template
}

/** The engine itself sees to these. A secret is put in on the way to a worker, so in them it would stay a mere text. */
const seenToByEngine: ReadonlySet<unknown> = new Set(['approval', 'signal', 'sleep', 'workflow', 'map'])

/** Either compiles at once and looks at the result, or leaves that to whoever first needs it. */
type Compile = (value: unknown, make: () => CompiledTemplate, skip?: SkipSubtree) => Template

/** Every template of a task, compiled in one place so that validating and planning cannot differ. */
export function compileTaskTemplates(
  key: string,
  task: Pick<TaskDefinition, 'uses' | 'with' | 'if' | 'concurrency' | 'rateLimit'>,
  context: TemplateContext,
  seen?: (compiled: CompiledTemplate) => void,
): TaskTemplates {
  const at = ['tasks', key]
  const options: TemplateOptions = {
    variables: taskVariables,
    ...shapesOf(context),
    isTask: context.isTask,
    taskKeys: () => context.upstream(key),
    allowSecrets: false,
  }
  const compile: Compile = (value, make, skip) => {
    if (seen === undefined) return deferTemplate(value, () => make().template, skip)
    const compiled = make()
    seen(compiled)
    return compiled.template
  }
  const condition = task.if
  const ifPath = [...at, 'if']
  return defined({
    with: compileWith(task, [...at, 'with'], options, compile),
    if: condition === undefined ? undefined : compile(condition, () => compileCondition(condition, options, ifPath)),
    child: compileChild(task, [...at, 'with', 'task', 'with'], options, compile),
    keys: compileKeys(task, at, options, compile),
    childKeys: compileKeys(
      task.uses === 'map' && isObject(task.with?.task) ? task.with.task : {},
      [...at, 'with', 'task'],
      { ...options, variables: itemVariables },
      compile,
    ),
  })
}

/** Of what may have the wrong shape still: the schema has its own error for that. */
function compileKeys(
  owner: { concurrency?: unknown; rateLimit?: unknown },
  at: FieldPath,
  options: TemplateOptions,
  compile: Compile,
): LimitKeys {
  const keyOf = (field: 'concurrency' | 'rateLimit'): LimitKeys => {
    const limit = owner[field]
    if (!isObject(limit) || typeof limit.key !== 'string') return {}
    const { key } = limit
    return { [field]: compile(key, () => compileTemplate(key, options, [...at, field, 'key'])) }
  }
  return { ...keyOf('concurrency'), ...keyOf('rateLimit') }
}

/** The key of a run's own limit is known before any task runs. */
export function compileRunKey(key: string | undefined, context: TemplateContext): CompiledTemplate | undefined {
  if (key === undefined) return undefined
  const options = {
    variables: new Set(['input', 'run']),
    ...shapesOf(context),
    isTask: context.isTask,
    taskKeys: () => [],
    allowSecrets: false,
  }
  return compileTemplate(key, options, ['concurrency', 'key'])
}

function compileWith(
  task: Pick<TaskDefinition, 'uses' | 'with'>,
  path: FieldPath,
  options: TemplateOptions,
  compile: Compile,
): Template {
  const skip = (at: FieldPath): boolean => task.uses === 'map' && at.length === path.length + 1 && at.at(-1) === 'task'
  const allowSecrets = !seenToByEngine.has(task.uses)
  const value = task.with ?? {}
  return compile(
    value,
    () => compileTemplate(value, { ...options, allowSecrets, skip }, path),
    (at) => skip([...path, ...at]),
  )
}

function compileChild(
  task: Pick<TaskDefinition, 'uses' | 'with'>,
  path: FieldPath,
  options: TemplateOptions,
  compile: Compile,
): Template | undefined {
  const child = task.uses === 'map' ? task.with?.task : undefined
  if (!isObject(child)) return undefined
  const allowSecrets = !seenToByEngine.has(child.uses)
  const value = child.with ?? {}
  return compile(value, () => compileTemplate(value, { ...options, variables: itemVariables, allowSecrets }, path))
}

export function compileOutput(
  definition: Pick<Definition, 'output'>,
  context: TemplateContext,
): CompiledTemplate | undefined {
  if (definition.output === undefined) return undefined
  return compileTemplate(
    definition.output,
    {
      variables: runVariables,
      ...shapesOf(context),
      isTask: context.isTask,
      taskKeys: () => context.allTasks,
      allowSecrets: false,
      maxBytes: limits.outputBytes,
    },
    ['output'],
  )
}

function defined(templates: { [K in keyof TaskTemplates]: TaskTemplates[K] | undefined }): TaskTemplates {
  return Object.fromEntries(
    Object.entries(templates).filter(([, template]) => template !== undefined),
  ) as unknown as TaskTemplates
}
