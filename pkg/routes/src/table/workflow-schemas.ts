import { boolean, id, input, integer, list, nullable, object, oneOf, text, time, userJson } from '../schema.js'
import type { JsonSchema, RouteBody } from '../types.js'

export const name = text(63)
export const runStatus = oneOf('queued', 'running', 'paused', 'cancelling', 'succeeded', 'failed', 'cancelled')
export const taskStatus = oneOf(
  'pending',
  'delayed',
  'waiting',
  'queued',
  'running',
  'succeeded',
  'failed',
  'skipped',
  'cancelled',
)
export const graph = object(
  {
    nodes: list(object({ key: text(), uses: text(), level: integer(0) }, ['key', 'uses', 'level'])),
    edges: list(object({ from: text(), to: text() }, ['from', 'to'])),
  },
  ['nodes', 'edges'],
)
export const summary = {
  id,
  name,
  version: integer(1),
  description: text(),
  tags: list(text()),
  paused: boolean,
  createdAt: time,
  updatedAt: time,
}
export const workflowSummary = object(summary, ['id', 'name', 'version'])
const nullableTime = nullable(time)
const activity: JsonSchema = {
  ...object(
    {
      open: { ...integer(0), description: 'Runs that have not ended' },
      last: {
        ...nullable(
          object({ id, status: runStatus, createdAt: time, finishedAt: time }, [
            'id',
            'status',
            'createdAt',
            'finishedAt',
          ]),
        ),
        description: 'The run that ended last',
      },
      runs: {
        ...list(object({ status: runStatus, durationMs: nullable(integer(0)) }, ['status', 'durationMs']), {
          maxItems: 30,
        }),
        description: 'The runs that ended last, newest end first; without a duration where one never started',
      },
      p95: {
        ...nullable(integer(0)),
        description: 'Of the durations of these runs, without cancelled ones; milliseconds',
      },
      nextAt: { ...nullableTime, description: 'When a schedule starts it next' },
    },
    ['open', 'last', 'runs', 'p95', 'nextAt'],
  ),
  description: 'Only with `activity=true`',
}
export const listedWorkflow = object({ ...summary, activity }, ['id', 'name', 'version'])
/** What is valid and yet hardly meant. */
export const warnings = list(object({ path: text(), code: text(), message: text() }, ['path', 'code', 'message']))
/** As a definition has it, and a project. Not one schema of several types: openapi-generator's Python has no word for that. */
export const retention: JsonSchema = {
  anyOf: [
    text(32, { pattern: '^(0|[1-9][0-9]{0,11}(ms|s|m|h|d)|P[0-9.,WDTHMS]+)$' }),
    integer(0, 0),
    {
      type: 'object',
      properties: {
        age: text(32, { pattern: '^([1-9][0-9]{0,11}(ms|s|m|h|d)|P[0-9.,WDTHMS]+)$' }),
        runs: integer(1, 100_000),
      },
      additionalProperties: false,
    },
  ],
  description:
    'How long ended runs are kept, such as `30d`; `0` keeps them for ever; `{age, runs}` also bounds how many of each workflow',
}
export const workflow = object(
  {
    ...summary,
    latestVersion: integer(1),
    versionCreatedAt: time,
    retention: nullable(retention),
    definition: userJson,
    graph,
    warnings,
  },
  ['id', 'name', 'version', 'definition', 'graph', 'createdAt'],
)
export const labels: JsonSchema = { type: 'object', additionalProperties: text(256), maxProperties: 32 }
export const failure = nullable(
  object({ code: text(), message: text(), class: text(), retryable: boolean }, [
    'code',
    'message',
    'class',
    'retryable',
  ]),
)
export const orTime = nullable(time)
const runFailure = nullable(
  object(
    {
      task: { ...nullable(text()), description: 'The task whose failure failed the run' },
      index: { ...integer(0), description: 'If that task is a map: its first item that failed' },
      code: text(),
      message: text(),
      class: text(),
      retryable: boolean,
    },
    ['task', 'code', 'message', 'class', 'retryable'],
  ),
)
const startedBy = {
  ...nullable(
    object({ type: oneOf('user', 'api_key', 'schedule', 'hook', 'run', 'rerun'), id, name: text() }, ['type', 'id']),
  ),
  description:
    'Who or what started the run; with a name where there is one that the caller may know: of members, of schedules, and for owners of API keys',
}
const progress: JsonSchema = {
  ...object({ percent: { type: 'number', minimum: 0, maximum: 100 }, message: text(500) }),
  description: 'How far a running task is, as its worker says',
}
/** What a task that waits is waiting for. */
const waitingFor = object(
  {
    kind: oneOf('approval', 'signal', 'run', 'map'),
    role: text(),
    message: nullable(text()),
    name: text(),
    runId: nullable(id),
    done: integer(0),
    total: integer(0),
  },
  ['kind'],
)
export const runSummary = {
  id,
  // `task:<type>` for a one-off job.
  workflow: text(210),
  version: integer(1),
  status: runStatus,
  reason: nullable(text()),
  error: runFailure,
  priority: integer(0, 9),
  labels,
  startedBy,
  traceId: nullable(text(32)),
  // The task that this run is a child of.
  parent: nullable(object({ runId: id, task: text(), index: integer(0) }, ['runId', 'task'])),
  // The run that this one repeats, and the task from which on.
  rerunOf: nullable(object({ runId: id, from: nullable(text()) }, ['runId', 'from'])),
  createdAt: time,
  startedAt: orTime,
  finishedAt: orTime,
}
export const inSummary = Object.keys(runSummary)
/** There only while the run is delayed. */
export const runAt = { runAt: { ...time, description: 'When a delayed run starts' } }
export const run = object({ ...runSummary, ...runAt, input: userJson, output: userJson }, [
  ...inSummary,
  'input',
  'output',
])
export const task = object(
  {
    key: text(),
    index: integer(0),
    name: text(),
    uses: text(),
    jobId: nullable(id),
    status: taskStatus,
    attempt: integer(0),
    maxAttempts: integer(1),
    queuedAt: orTime,
    startedAt: orTime,
    finishedAt: orTime,
    workerId: nullable(text()),
    // The run that a task with `uses: workflow` stands for.
    childRunId: id,
    // A rerun took the output over and executed nothing.
    reused: boolean,
    input: { ...userJson, description: 'The resolved `with`; secrets by name alone. Null until an attempt was ready' },
    output: userJson,
    error: failure,
    waitingFor,
    progress,
    compensates: text(63, { description: 'Of a compensation: the key of the task that it undoes' }),
  },
  ['key', 'name', 'uses', 'jobId', 'status', 'attempt', 'maxAttempts', 'input', 'output', 'error'],
)
const expectedDuration = {
  expectedDuration: text(64, { description: 'As the definition says; a run that takes longer is late' }),
}
export const runDetail = object(
  { ...runSummary, ...runAt, ...expectedDuration, input: userJson, output: userJson, tasks: list(task) },
  [...inSummary, 'tasks'],
)
export const blockers = list(object({ kind: text(), detail: text() }, ['kind', 'detail']))
export const explanation = object({ key: text(), index: integer(0), status: taskStatus, why: text(), blockers }, [
  'key',
  'status',
  'why',
  'blockers',
])
export const fieldErrors = list(
  object({ path: text(), code: text(), message: text(), line: integer(1) }, ['path', 'code', 'message']),
)
export const definition: RouteBody = {
  schema: { type: 'object', 'x-user-json': true },
  contentTypes: ['application/json', 'application/yaml', 'application/x-yaml', 'text/yaml'],
}

/** The largest delay: ten years. */
export const delaySeconds: JsonSchema = { type: 'number', minimum: 0, maximum: 316_224_000 }
export const priority = integer(0, 9)

/** What a start may say, one alone or each of a batch. */
export const startOptions = input({
  input: userJson,
  version: integer(1, 2147483647),
  priority,
  delaySeconds,
  runAt: time,
  labels,
  hold: boolean,
})
