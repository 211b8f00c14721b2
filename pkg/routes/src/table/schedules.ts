import { defineRoute } from '../define-route.js'
import {
  answer,
  boolean,
  id,
  input,
  integer,
  list,
  noContent,
  nullable,
  object,
  oneOf,
  page,
  text,
  time,
  userJson,
} from '../schema.js'
import type { JsonSchema, Route } from '../types.js'

const workflow: JsonSchema = { type: 'string', pattern: '^[a-z0-9][a-z0-9-]{0,62}$' }
const catchup: JsonSchema = {
  ...oneOf('none', 'last', 'all'),
  description: 'Which ticks that were missed during downtime are made up for',
}
const settings = {
  workflow,
  cron: text(200, { minLength: 1, description: 'Five fields, or six with seconds first' }),
  timezone: text(64, { minLength: 1, description: 'A name such as Europe/Berlin; default UTC' }),
  input: { ...userJson, description: 'Input of every run' },
  catchup,
  paused: boolean,
}
const orTime = nullable(time)
const schedule = object(
  {
    id,
    ...settings,
    nextAt: { ...orTime, description: 'Null while paused' },
    lastTickAt: orTime,
    lastRunId: nullable(id),
    lastError: {
      ...nullable(object({ tick: time, at: time, code: text(), message: text() }, ['tick', 'at', 'code', 'message'])),
      description: 'The last tick that could not become a run, until a later one does',
    },
    pendingTicks: { ...integer(0), description: 'Ticks that wait for their run' },
    createdBy: text(),
    createdAt: time,
    updatedAt: time,
  },
  ['id', 'workflow', 'cron', 'timezone', 'input', 'catchup', 'paused', 'nextAt', 'lastError', 'createdAt', 'updatedAt'],
)

export const scheduleRoutes: readonly Route[] = [
  defineRoute({
    operationId: 'createSchedule',
    service: 'workflow',
    method: 'POST',
    path: '/api/v1/schedules',
    access: 'editor',
    summary: 'Start runs of a workflow by the clock',
    tag: 'Schedules',
    idempotent: true,
    body: { schema: input(settings, ['workflow', 'cron']) },
    responses: { 201: answer('Created', schedule) },
  }),
  defineRoute({
    operationId: 'listSchedules',
    service: 'workflow',
    method: 'GET',
    path: '/api/v1/schedules',
    access: 'viewer',
    summary: 'Schedules',
    tag: 'Schedules',
    list: true,
    query: { workflow: text(63) },
    responses: { 200: answer('Schedules', page(schedule)) },
  }),
  defineRoute({
    operationId: 'getSchedule',
    service: 'workflow',
    method: 'GET',
    path: '/api/v1/schedules/{id}',
    access: 'viewer',
    summary: 'A schedule',
    tag: 'Schedules',
    responses: { 200: answer('The schedule', schedule) },
  }),
  defineRoute({
    operationId: 'updateSchedule',
    service: 'workflow',
    method: 'PATCH',
    path: '/api/v1/schedules/{id}',
    access: 'editor',
    summary: 'Change, pause or resume a schedule',
    tag: 'Schedules',
    body: { schema: { ...input(settings), minProperties: 1 } },
    responses: { 200: answer('The schedule', schedule) },
  }),
  defineRoute({
    operationId: 'deleteSchedule',
    service: 'workflow',
    method: 'DELETE',
    path: '/api/v1/schedules/{id}',
    access: 'editor',
    summary: 'End a schedule; its runs stay',
    tag: 'Schedules',
    responses: { 204: noContent },
  }),
  defineRoute({
    operationId: 'backfillSchedule',
    service: 'workflow',
    method: 'POST',
    path: '/api/v1/schedules/{id}/backfill',
    access: 'editor',
    summary: 'Start a run for each past tick of a range that has none yet',
    tag: 'Schedules',
    idempotent: true,
    body: { schema: input({ from: time, to: time }, ['from', 'to']) },
    responses: {
      202: answer(
        'Accepted: the ticks from `from` up to, not including, `to`; at most 1,000',
        object({ ticks: integer(0) }, ['ticks']),
      ),
    },
  }),
  defineRoute({
    operationId: 'listNextTicks',
    service: 'workflow',
    method: 'GET',
    path: '/api/v1/schedules/{id}/next',
    access: 'viewer',
    summary: 'When a schedule comes due next',
    tag: 'Schedules',
    query: { n: { ...integer(1, 100), default: 5 } },
    responses: { 200: answer('Times', object({ items: list(time) }, ['items'])) },
  }),
]
