import { errorClasses } from '../error-class.js'
import { limits } from '../limits.js'
import { needsWith, withShapes } from './with-shapes.js'

type Schema = Record<string, unknown>

const ref = (name: string): Schema => ({ $ref: `#/$defs/${name}` })
const closed = (properties: Schema, required: string[] = []): Schema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

/** Text that reaches a column: Postgres cannot hold NUL. */
const line = (maxLength: number, minLength = 0): Schema => ({
  type: 'string',
  minLength,
  maxLength,
  pattern: '^[^\\u0000]*$',
})

const retry = closed({
  maxAttempts: { type: 'integer', minimum: 1, maximum: limits.maxAttempts },
  backoff: { enum: ['fixed', 'linear', 'exponential'] },
  delay: ref('duration'),
  maxDelay: ref('duration'),
  jitter: { enum: ['none', 'full'] },
  on: ref('errorClasses'),
  notOn: ref('errorClasses'),
})

const shared = {
  retry: ref('retry'),
  timeout: ref('duration'),
  queueTimeout: ref('duration'),
  totalTimeout: ref('duration'),
  queue: { type: 'string', pattern: '^[a-z0-9][a-z0-9._-]{0,62}$' },
  priority: { type: 'integer', minimum: 0, maximum: 9 },
  onFailure: { enum: ['stop', 'continue'] },
}

const taskFields = {
  name: line(200, 1),
  description: line(2_000),
  uses: { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_.:/-]{0,199}$' },
  needs: { type: 'array', items: { type: 'string' }, maxItems: limits.tasks },
  when: { enum: ['all_success', 'all_done', 'any_success', 'any_failed', 'none_failed'] },
  if: { type: ['string', 'boolean'] },
  with: { type: 'object' },
  concurrency: ref('taskConcurrency'),
  rateLimit: ref('rateLimit'),
  ...shared,
}
const compensate = ref('compensation')

const limit = { type: 'integer', minimum: 1, maximum: 1_000_000 }
const limitKey = { ...line(4_096, 1), description: 'What is counted together. Text, or with expressions.' }

const shapes: Schema[] = [
  ...Object.entries(withShapes).map(([uses, shape]) => ({
    if: { properties: { uses: { const: uses } }, required: ['uses'] },
    // biome-ignore lint/suspicious/noThenProperty: a JSON Schema keyword
    then: { properties: { with: shape } },
  })),
  {
    if: { properties: { uses: { enum: [...needsWith] } }, required: ['uses'] },
    // biome-ignore lint/suspicious/noThenProperty: a JSON Schema keyword
    then: { required: ['with'] },
  },
]

/** A failed child fails its map: there is nothing to choose. */
const { onFailure: _ofTheMap, ...childFields } = shared

const { name, description, uses, with: input, concurrency, rateLimit } = taskFields
const undoing = { name, description, uses, with: input, concurrency, rateLimit }

const durationPattern = '^(\\d{1,12}(\\.\\d{1,6})?(ms|s|m|h|d)|P(?=.)([0-9.,]+[WD])*(T(?=.)([0-9.,]+[HMS])+)?)$'

const $defs = {
  expression: {
    type: 'string',
    pattern: '^\\s*\\$\\{\\{[\\s\\S]*\\}\\}\\s*$',
    description: 'One CEL expression, marked as such.',
  },
  duration: {
    type: 'string',
    pattern: durationPattern,
    description: '500ms, 30s, 5m, 1h, 2d, or ISO 8601 such as PT30S.',
  },
  taskKey: { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_-]{0,62}$' },
  errorClasses: { type: 'array', items: { enum: [...errorClasses] }, maxItems: errorClasses.length },
  retry,
  concurrency: {
    ...closed({ limit, key: limitKey, onLimit: { enum: ['queue', 'cancel-new', 'cancel-oldest'] } }, ['limit']),
    description: 'How many runs may be under way at once, counted by workflow and key.',
  },
  taskConcurrency: {
    ...closed({ limit, key: limitKey }, ['limit']),
    description: 'How many attempts may run at once, counted over the whole project by key.',
  },
  rateLimit: {
    ...closed({ limit, per: ref('duration'), key: limitKey }, ['limit', 'per']),
    description: 'How many attempts may start within any such time, counted over the whole project by key.',
  },
  retention: {
    // One shape, not alternatives: errors then speak of what is wrong with the one that was meant.
    type: ['string', 'integer', 'object'],
    pattern: `^0$|${durationPattern}`,
    minimum: 0,
    maximum: 0,
    properties: { age: { ...ref('duration') }, runs: { type: 'integer', minimum: 1, maximum: limits.retainedRuns } },
    additionalProperties: false,
    minProperties: 1,
    description:
      'How long ended runs are kept, such as 30d; 0 keeps them for ever; { age, runs } also bounds how many are kept.',
  },
  defaults: closed(shared),
  task: { ...closed({ ...taskFields, compensate }, ['uses']), allOf: shapes },
  listedTask: { ...closed({ key: ref('taskKey'), ...taskFields, compensate }, ['key', 'uses']), allOf: shapes },
  compensation: {
    ...closed({ ...childFields, ...undoing }, ['uses']),
    allOf: shapes,
    description: 'Undoes what the task did. Runs when the run ends failed or cancelled and the task had succeeded.',
  },
  mapTask: {
    ...closed(
      {
        uses: { ...taskFields.uses, not: { const: 'map' } },
        with: taskFields.with,
        ...childFields,
        rateLimit: taskFields.rateLimit,
        concurrency: taskFields.concurrency,
      },
      ['uses'],
    ),
    allOf: shapes.filter((s) => !JSON.stringify(s).includes('"const":"map"')),
  },
}

const taskRecord = {
  type: 'object',
  propertyNames: ref('taskKey'),
  additionalProperties: ref('task'),
  minProperties: 1,
  maxProperties: limits.tasks,
}
const taskList = { type: 'array', items: ref('listedTask'), minItems: 1, maxItems: limits.tasks }

const root = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://millrace.dev/schemas/definition.json',
  title: 'Millrace workflow definition',
  type: 'object',
  required: ['name', 'tasks'],
  additionalProperties: false,
}

const fields = {
  name: { type: 'string', pattern: '^[a-z0-9][a-z0-9-]{0,62}$' },
  description: line(10_000),
  tags: { type: 'array', maxItems: limits.tagCount, items: line(64, 1) },
  input: {
    type: ['object', 'boolean'],
    description: 'A JSON Schema (draft 2020-12) that the input of a run must meet.',
  },
  concurrency: ref('concurrency'),
  timeout: ref('duration'),
  retention: ref('retention'),
  expectedDuration: {
    ...ref('duration'),
    description: 'A run is late when it has not started, or has started and not ended, within this time.',
  },
  output: { description: 'The output of a run; strings may hold expressions.' },
  defaults: ref('defaults'),
}

/** The whole language, as published. */
export const definitionSchema: Record<string, unknown> = {
  ...root,
  properties: {
    ...fields,
    tasks: { oneOf: [taskRecord, taskList] },
    dependencies: {
      type: 'object',
      description: 'Edges in one place: for each task the tasks that it needs.',
      additionalProperties: { type: 'array', items: { type: 'string' } },
    },
  },
  $defs,
}

/** The same after normalising, so that errors never speak of the form that the author did not choose. */
export const normalisedSchema: Record<string, unknown> = {
  ...root,
  $id: 'https://millrace.dev/schemas/normalised.json',
  properties: { ...fields, tasks: taskRecord },
  $defs,
}
