import { defineRoute } from '../define-route.js'
import { answer, input, noContent, object, page, text, time } from '../schema.js'
import type { Route } from '../types.js'

const secret = object({ name: text(63), createdAt: time, updatedAt: time, updatedBy: text() }, [
  'name',
  'updatedAt',
  'updatedBy',
])

export const secretRoutes: readonly Route[] = [
  defineRoute({
    operationId: 'listSecrets',
    service: 'iam',
    method: 'GET',
    path: '/api/v1/secrets',
    access: 'editor',
    summary: 'Secrets of the project, by name; values are never shown',
    tag: 'Secrets',
    list: true,
    responses: { 200: answer('Secrets', page(secret)) },
  }),
  defineRoute({
    operationId: 'putSecret',
    service: 'iam',
    method: 'PUT',
    path: '/api/v1/secrets/{name}',
    access: 'editor',
    summary: 'Store a secret, or replace its value',
    tag: 'Secrets',
    body: { schema: input({ value: text(64 * 1024, { minLength: 1, 'x-user-json': true }) }, ['value']) },
    responses: { 200: answer('The secret, without its value', secret) },
  }),
  defineRoute({
    operationId: 'deleteSecret',
    service: 'iam',
    method: 'DELETE',
    path: '/api/v1/secrets/{name}',
    access: 'editor',
    summary: 'Delete a secret',
    tag: 'Secrets',
    responses: { 204: noContent },
  }),
]
