import { errorClasses } from '@millrace/definition/error-class'
import { defineRoute } from '../define-route.js'
import {
  answer,
  anyOf,
  boolean,
  id,
  input,
  integer,
  list,
  nullable,
  object,
  oneOf,
  page,
  text,
  time,
} from '../schema.js'
import type { JsonSchema, Route } from '../types.js'

const worker = object(
  {
    id: { ...id, description: 'As it stands in a task as `workerId`' },
    name: text(),
    state: {
      ...oneOf('active', 'paused', 'draining', 'lost'),
      description: 'Lost: it fell silent within the last hour',
    },
    shared: { ...boolean, description: "The platform's own, which serves every project" },
    queues: { ...list(text()), description: '`*` stands for every queue' },
    executors: { ...list(text()), description: 'Values of `uses` that it executes' },
    concurrency: integer(1),
    running: { ...integer(0), description: 'Tasks that it holds now' },
    sdk: text(),
    version: text(),
    startedAt: time,
    lastSeenAt: time,
    circuits: {
      ...list(
        object({ uses: text(), peer: { ...text(), description: 'host:port' }, retryAt: time }, [
          'uses',
          'peer',
          'retryAt',
        ]),
      ),
      description: 'Peers that it does not call because calls to them failed, and when each is tried again',
    },
  },
  [
    'id',
    'name',
    'state',
    'shared',
    'queues',
    'executors',
    'concurrency',
    'running',
    'startedAt',
    'lastSeenAt',
    'circuits',
  ],
)

const { properties: ofPage, required: inPage = [] } = page(worker)
const workerPage: JsonSchema = object(
  {
    ...(ofPage as Record<string, JsonSchema>),
    shared: {
      ...object({ alive: integer(0), slots: integer(0), used: integer(0) }, ['alive', 'slots', 'used']),
      description:
        "The platform's own workers, which serve every project: those that are active, and their slots, used by tasks of any project",
    },
    totals: {
      ...object({ active: integer(0), lost: integer(0), slots: integer(0), used: integer(0) }, [
        'active',
        'lost',
        'slots',
        'used',
      ]),
      description:
        'Of all workers that this list holds, whatever the page and the states asked for; slots of active ones',
    },
  },
  [...(inPage as readonly string[]), 'shared', 'totals'],
)

const duration: JsonSchema = { type: 'string', maxLength: 50, description: '`500ms 30s 5m 1h 2d` or ISO 8601' }
const classes = list(oneOf(...errorClasses), { maxItems: errorClasses.length })
const retry = input({
  maxAttempts: integer(1, 1000),
  backoff: oneOf('fixed', 'linear', 'exponential'),
  delay: duration,
  maxDelay: duration,
  jitter: oneOf('none', 'full'),
  on: classes,
  notOn: classes,
})
const settings = {
  concurrency: { ...nullable(integer(1, 1_000_000)), description: 'Tasks of this queue that run at once' },
  rateLimit: {
    ...nullable(input({ limit: integer(1, 1_000_000), per: duration }, ['limit', 'per'])),
    description: 'Tasks of this queue that start in a span of time',
  },
  weight: {
    ...nullable({ type: 'number', minimum: 0.01, maximum: 1000 }),
    description: "The queue's turns beside the project's other queues; null: all such queues are served in one order",
  },
  profile: nullable(oneOf('latency', 'throughput', 'batch')),
  defaults: {
    ...nullable(input({ retry, timeout: duration })),
    description: 'For tasks of this queue, in runs started from now on, that say nothing themselves',
  },
}
const queue = object(
  {
    name: text(),
    paused: boolean,
    depth: { ...integer(0), description: 'Tasks that are ready and wait' },
    running: integer(0),
    parked: { ...integer(0), description: 'Of the depth: tasks that wait for a limit' },
    oldestAgeMs: { ...integer(0), description: 'Of the task that has waited longest' },
    ...settings,
    workers: { ...list(text()), description: 'Ids of workers that serve it' },
    updatedAt: nullable(time),
  },
  ['name', 'paused', 'depth', 'running', 'parked', 'oldestAgeMs', ...Object.keys(settings), 'workers', 'updatedAt'],
)

const { properties: ofQueuePage, required: inQueuePage = [] } = page(queue)
const queuePage: JsonSchema = object(
  {
    ...(ofQueuePage as Record<string, JsonSchema>),
    waiting: { ...integer(0), description: 'Tasks that are ready and wait, in all queues of the project' },
  },
  [...(inQueuePage as readonly string[]), 'waiting'],
)

const commandRoute = (command: 'pause' | 'resume' | 'drain', summary: string): Route =>
  defineRoute({
    operationId: `${command}Worker`,
    service: 'workflow',
    method: 'POST',
    path: `/api/v1/workers/{id}/${command}`,
    access: 'operator',
    summary,
    tag: 'Workers and queues',
    responses: { 200: answer('The worker', worker) },
  })

const pauseRoute = (command: 'pause' | 'resume', summary: string): Route =>
  defineRoute({
    operationId: `${command}Queue`,
    service: 'workflow',
    method: 'POST',
    path: `/api/v1/queues/{name}/${command}`,
    access: 'operator',
    summary,
    tag: 'Workers and queues',
    responses: { 200: answer('The queue', queue) },
  })

export const workerAndQueueRoutes: readonly Route[] = [
  defineRoute({
    operationId: 'listWorkers',
    service: 'workflow',
    method: 'GET',
    path: '/api/v1/workers',
    access: 'viewer',
    summary:
      "The project's workers, and how many shared ones there are; for a platform administrator also these themselves",
    tag: 'Workers and queues',
    list: true,
    query: { state: anyOf(oneOf('active', 'paused', 'draining', 'lost')) },
    responses: { 200: answer('Workers', workerPage) },
  }),
  commandRoute('pause', 'No new tasks for a worker; what it runs goes on'),
  commandRoute('resume', 'Give a paused worker tasks again'),
  commandRoute('drain', 'No new tasks for a worker; it ends once what it runs has ended or was handed back'),
  defineRoute({
    operationId: 'listQueues',
    service: 'workflow',
    method: 'GET',
    path: '/api/v1/queues',
    access: 'viewer',
    summary: "The project's queues, by name or by depth",
    tag: 'Workers and queues',
    list: true,
    query: {
      order: {
        ...oneOf('name', 'depth'),
        description: 'By name, unless given; `depth`: the deepest first. Depths change from page to page',
      },
    },
    responses: { 200: answer('Queues', queuePage) },
  }),
  pauseRoute('pause', 'Hand out no task of this queue; what runs goes on'),
  pauseRoute('resume', 'Hand out tasks of this queue again'),
  defineRoute({
    operationId: 'updateQueue',
    service: 'workflow',
    method: 'PATCH',
    path: '/api/v1/queues/{name}',
    access: 'editor',
    summary: 'Change settings of a queue; null takes one away',
    tag: 'Workers and queues',
    body: { schema: { ...input(settings), minProperties: 1 } },
    responses: { 200: answer('The queue', queue) },
  }),
]
