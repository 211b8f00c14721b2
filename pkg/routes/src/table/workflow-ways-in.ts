import { defineRoute } from '../define-route.js'
import {
  answer,
  id,
  input,
  integer,
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
import { delaySeconds, name, priority, run } from './workflow-schemas.js'

const hookScheme = oneOf('standard-webhooks', 'github', 'stripe', 'hmac')
const hook = {
  id,
  verify: nullable(object({ type: hookScheme, header: text(64) }, ['type'])),
  input: nullable(text(4096)),
  createdAt: time,
}

export const wayInRoutes: readonly Route[] = [
  defineRoute({
    operationId: 'scheduleTask',
    service: 'workflow',
    method: 'POST',
    path: '/api/v1/tasks/schedule',
    access: 'operator',
    summary: 'Run one task by itself',
    tag: 'Runs',
    idempotent: true,
    body: {
      schema: input(
        {
          type: {
            type: 'string',
            pattern: '^[A-Za-z_][A-Za-z0-9_.:/-]{0,199}$',
            description: 'What a task names as `uses`',
          },
          payload: {
            ...userJson,
            type: 'object',
            description: 'Given to the task as it is: expressions in it are text',
          },
          delaySeconds,
          retries: integer(0, 999),
          priority,
        },
        ['type'],
      ),
    },
    responses: { 202: answer('Accepted', object({ runId: id }, ['runId'])) },
  }),
  defineRoute({
    operationId: 'createHook',
    service: 'workflow',
    method: 'POST',
    path: '/api/v1/workflows/{name}/hooks',
    access: 'editor',
    summary: 'An address at which others start runs of this workflow',
    tag: 'Hooks',
    idempotent: true,
    body: {
      required: false,
      schema: input({
        verify: input(
          {
            type: { ...hookScheme, description: 'How callers sign what they send; without a good signature: 401' },
            secret: text(512, { minLength: 8, description: 'Shared with the caller; kept encrypted and never shown' }),
            header: {
              type: 'string',
              pattern: '^[A-Za-z0-9-]{1,64}$',
              description: 'For `hmac`: the header with the signature, X-Signature unless given',
            },
          },
          ['type', 'secret'],
        ),
        input: text(4096, {
          minLength: 1,
          description: 'CEL expression over `body`, `headers` and `query` that gives the input; the body unless given',
        }),
      }),
    },
    responses: {
      201: answer(
        'Created; the token and the address are shown once',
        object({ ...hook, url: text(), token: text() }, ['id', 'verify', 'input', 'createdAt']),
      ),
    },
  }),
  defineRoute({
    operationId: 'listHooks',
    service: 'workflow',
    method: 'GET',
    path: '/api/v1/workflows/{name}/hooks',
    access: 'viewer',
    summary: 'Hooks of a workflow',
    tag: 'Hooks',
    list: true,
    responses: {
      200: answer('Hooks', page(object({ ...hook, createdBy: text() }, ['id', 'verify', 'input', 'createdAt']))),
    },
  }),
  defineRoute({
    operationId: 'deleteHook',
    service: 'workflow',
    method: 'DELETE',
    path: '/api/v1/workflows/{name}/hooks/{id}',
    access: 'editor',
    summary: 'Revoke a hook',
    tag: 'Hooks',
    responses: { 204: noContent },
  }),
  defineRoute({
    operationId: 'receiveHook',
    service: 'workflow',
    method: 'POST',
    path: '/api/v1/hooks/{token}',
    anyQuery: true,
    access: 'open',
    summary: 'Start a run; the body is its input, unless the hook has an expression for it',
    tag: 'Hooks',
    problems: [401],
    body: {
      required: false,
      schema: userJson,
    },
    responses: {
      202: answer(
        'Accepted',
        object({ id, workflow: text(), version: integer(1), status: text(), createdAt: time }, ['id', 'status']),
      ),
    },
  }),
  defineRoute({
    operationId: 'createDraft',
    service: 'workflow',
    method: 'POST',
    path: '/api/workflows',
    access: 'editor',
    summary: 'Begin a workflow that is built a task at a time',
    tag: 'Building',
    idempotent: true,
    body: { schema: input({ name: { type: 'string', pattern: '^[a-z0-9][a-z0-9-]{0,62}$' } }, ['name']) },
    responses: { 201: answer('Created', object({ id, name, createdAt: time }, ['id', 'name'])) },
  }),
  defineRoute({
    operationId: 'addDraftTask',
    service: 'workflow',
    method: 'POST',
    path: '/api/tasks',
    access: 'editor',
    summary: 'Add a task to a draft',
    tag: 'Building',
    idempotent: true,
    body: {
      schema: input(
        {
          workflowId: id,
          name: text(200, { minLength: 1 }),
          uses: { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_.:/-]{0,199}$' },
          with: { ...userJson, type: 'object' },
        },
        ['workflowId', 'name'],
      ),
    },
    responses: {
      201: answer(
        'Created',
        object({ id, workflowId: id, key: text(63), name: text(200), uses: text(200) }, ['id', 'key']),
      ),
    },
  }),
  defineRoute({
    operationId: 'addDraftDependency',
    service: 'workflow',
    method: 'POST',
    path: '/api/dependencies',
    access: 'editor',
    summary: 'Let one task of a draft wait for another',
    tag: 'Building',
    idempotent: true,
    body: {
      schema: input({ workflowId: id, taskId: id, dependsOnTaskId: id }, ['workflowId', 'taskId', 'dependsOnTaskId']),
    },
    responses: { 201: answer('Created', object({ id, workflowId: id, taskId: id, dependsOnTaskId: id }, ['id'])) },
  }),
  defineRoute({
    operationId: 'startDraft',
    service: 'workflow',
    method: 'POST',
    path: '/api/workflows/{id}/start',
    access: 'operator',
    summary: 'Publish a draft, if it changed, and run it',
    tag: 'Building',
    idempotent: true,
    body: { required: false, schema: input({ input: userJson }) },
    responses: { 202: answer('Accepted: the run', run) },
  }),
]
