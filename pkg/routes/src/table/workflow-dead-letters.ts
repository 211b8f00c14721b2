import { errorClasses } from '@millrace/definition/error-class'
import { defineRoute } from '../define-route.js'
import {
  answer,
  anyOf,
  anyOfInBody,
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
import type { Route } from '../types.js'
import { failure } from './workflow-schemas.js'

const letterFilter = {
  workflow: text(210),
  class: oneOf(...errorClasses),
  state: oneOf('open', 'retried', 'deleted'),
  from: time,
  to: time,
}
const deadLetter = object(
  {
    id,
    runId: id,
    workflow: text(210),
    version: integer(1),
    taskKey: text(),
    index: integer(0),
    jobId: id,
    error: failure,
    attempts: list(
      object({ attempt: integer(0), at: time, workerId: nullable(text()), error: failure }, ['attempt', 'at', 'error']),
    ),
    input: userJson,
    at: time,
    state: oneOf('open', 'retried', 'deleted'),
  },
  ['id', 'runId', 'workflow', 'taskKey', 'error', 'attempts', 'input', 'at', 'state'],
)

export const deadLetterRoutes: readonly Route[] = [
  defineRoute({
    operationId: 'listDeadLetters',
    service: 'workflow',
    method: 'GET',
    path: '/api/v1/dlq',
    access: 'viewer',
    summary: 'Tasks that finally failed',
    tag: 'Dead letters',
    list: true,
    query: { ...letterFilter, class: anyOf(letterFilter.class), state: anyOf(letterFilter.state) },
    responses: { 200: answer('Dead letters', page(deadLetter)) },
  }),
  defineRoute({
    operationId: 'getDeadLetter',
    service: 'workflow',
    method: 'GET',
    path: '/api/v1/dlq/{id}',
    access: 'viewer',
    summary: 'A dead letter with every attempt',
    tag: 'Dead letters',
    responses: { 200: answer('The letter', deadLetter) },
  }),
  defineRoute({
    operationId: 'retryDeadLetter',
    service: 'workflow',
    method: 'POST',
    path: '/api/v1/dlq/{id}/retry',
    access: 'operator',
    summary: 'Try the task again and continue its run',
    tag: 'Dead letters',
    body: {
      required: false,
      schema: input({ input: { ...userJson, description: 'Replaces what the task was given' } }),
    },
    responses: { 200: answer('The letter', deadLetter) },
  }),
  defineRoute({
    operationId: 'retryDeadLetters',
    service: 'workflow',
    method: 'POST',
    path: '/api/v1/dlq/retry',
    access: 'operator',
    summary: 'Retry many: those named, or the open ones that match',
    tag: 'Dead letters',
    body: {
      schema: {
        ...input({
          ids: list({ type: 'string', maxLength: 100 }, { minItems: 1, maxItems: 1_000 }),
          filter: input({ ...letterFilter, class: anyOfInBody(letterFilter.class), state: oneOf('open') }),
        }),
        oneOf: [{ required: ['ids'] }, { required: ['filter'] }],
      },
    },
    responses: {
      200: answer(
        'What became of each; `more` when further letters match',
        object(
          {
            items: list(
              object({ id, outcome: oneOf('retried', 'failed'), error: object({ code: text(), message: text() }) }, [
                'id',
                'outcome',
              ]),
            ),
            more: boolean,
          },
          ['items', 'more'],
        ),
      ),
    },
  }),
  defineRoute({
    operationId: 'deleteDeadLetter',
    service: 'workflow',
    method: 'DELETE',
    path: '/api/v1/dlq/{id}',
    access: 'operator',
    summary: 'Put a letter away without retrying it',
    tag: 'Dead letters',
    responses: { 204: noContent },
  }),
]
