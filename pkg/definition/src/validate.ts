import type { FieldError } from '@millrace/errors'
import { checkDurations } from './check-durations.js'
import { checkExpressions } from './check-expressions.js'
import { checkLimits } from './check-limits.js'
import { compensationKey, compensationPath } from './compensation.js'
import type { Definition, Graph } from './definition.js'
import { checkFeatures, supportedFeatures } from './features.js'
import { type FieldPath, type Positions, toPointer } from './field-path.js'
import { checkGraph } from './graph/check-graph.js'
import { isObject, type JsonObject, utf8Bytes } from './json-value.js'
import { limits } from './limits.js'
import { normalise } from './normalise.js'
import { checkSchema, type LocatedProblem } from './schema/check-schema.js'
import { checkInputSchema } from './schema/input-schema.js'
import { checkBounds } from './schema/json-bounds.js'

export interface ValidateOptions {
  positions?: Positions | undefined
  /** Optional features that the engine has. */
  supported?: ReadonlySet<string>
}

export interface ValidationResult {
  valid: boolean
  errors: FieldError[]
  definition?: Definition
  graph?: Graph
}

/** With one of these nothing more is looked at. */
const unreadable = new Set(['too_deep', 'not_json', 'too_many_values'])

/** Every error at once: each check looks at whatever of the definition has the shape that it needs. */
export function validateDefinition(source: unknown, options: ValidateOptions = {}): ValidationResult {
  const bounds = checkBounds(source)
  if (bounds.some((p) => unreadable.has(p.code))) return refuse(bounds, options)
  if (utf8Bytes(JSON.stringify(source) ?? '') > limits.definitionBytes) return refuse([tooLarge], options)
  const { value, problems: shapeProblems, sourcePath } = normalise(source)
  const problems = [...bounds, ...shapeProblems, ...checkSchema(value)]
  let graph: Graph | undefined
  if (isObject(value)) {
    const tasks = readableTasks(value)
    const checked = checkGraph(tasks)
    graph = checked.graph
    const compensations = readableCompensations(tasks)
    const all = new Map([...tasks, ...compensations])
    const expressions = checkExpressions(value, tasks, checked.upstream, compensations)
    const found = [...expressions.problems, ...checkDurations(value, all), ...checkLimits(all)]
    found.push(...checkAnswerSchemas(all))
    found.push(...checkFeatures(value, all, expressions.secretPaths, options.supported ?? supportedFeatures))
    if (all.size > limits.tasks) found.push(tooManyTasks)
    const isTask = (key: string) => tasks.has(key)
    problems.push(...checked.problems, ...found.map((p) => ({ ...p, path: compensationPath(p.path, isTask) })))
    problems.push(...checkInputSchema(value.input).map((p) => ({ ...p, path: ['input', ...p.path] })))
  }
  if (problems.length > 0)
    return { ...refuse(problems, options, sourcePath), ...(graph === undefined ? {} : { graph }) }
  return { valid: true, errors: [], definition: value as Definition, ...(graph === undefined ? {} : { graph }) }
}

/** The schema of a model's answer, where it is written out. */
function checkAnswerSchemas(tasks: ReadonlyMap<string, ReadableTask>): LocatedProblem[] {
  return [...tasks].flatMap(([key, { uses, with: input }]) => {
    if (uses !== 'llm' || !isObject(input) || !isObject(input.schema)) return []
    if (JSON.stringify(input.schema).includes('${{')) return []
    return checkInputSchema(input.schema).map((p) => ({ ...p, path: ['tasks', key, 'with', 'schema', ...p.path] }))
  })
}

const tooLarge: LocatedProblem = {
  path: [],
  code: 'too_large',
  message: `a definition is at most ${limits.definitionBytes} bytes`,
}

const tooManyTasks: LocatedProblem = {
  path: ['tasks'],
  code: 'too_many_tasks',
  message: `tasks and their compensations are at most ${limits.tasks} together`,
}

type ReadableTask = JsonObject & { uses: string; needs: string[] }

function readableTasks(definition: JsonObject): Map<string, ReadableTask> {
  const tasks = new Map<string, ReadableTask>()
  if (!isObject(definition.tasks)) return tasks
  for (const [key, task] of Object.entries(definition.tasks).slice(0, limits.tasks)) {
    if (!isObject(task)) continue
    const needs = Array.isArray(task.needs) ? task.needs.filter((n) => typeof n === 'string') : []
    tasks.set(key, { ...task, uses: typeof task.uses === 'string' ? task.uses : '', needs })
  }
  return tasks
}

function readableCompensations(tasks: ReadonlyMap<string, ReadableTask>): Map<string, ReadableTask> {
  const found = new Map<string, ReadableTask>()
  for (const [key, { compensate }] of tasks) {
    if (!isObject(compensate)) continue
    const uses = typeof compensate.uses === 'string' ? compensate.uses : ''
    found.set(compensationKey(key), { ...compensate, uses, needs: [] })
  }
  return found
}

function refuse(
  problems: LocatedProblem[],
  options: ValidateOptions,
  sourcePath: (path: FieldPath) => FieldPath = (p) => p,
): ValidationResult {
  const seen = new Set<string>()
  const found: { path: FieldPath; error: FieldError }[] = []
  for (const problem of problems) {
    const path = sourcePath(problem.path)
    const error = { path: toPointer(path), code: problem.code, message: problem.message }
    const id = JSON.stringify(error)
    if (seen.has(id)) continue
    seen.add(id)
    found.push({ path, error })
    if (found.length === limits.errors) break
  }
  const lines = options.positions?.(found.map(({ path }) => path)) ?? []
  const errors = found.map(({ error }, i) => ({ ...error, ...(lines[i] === undefined ? {} : { line: lines[i] }) }))
  return { valid: false, errors }
}
