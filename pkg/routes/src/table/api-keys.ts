import { defineRoute } from '../define-route.js'
import { answer, id, input, noContent, nullable, object, oneOf, page, text, time } from '../schema.js'
import type { Route } from '../types.js'

const role = oneOf('viewer', 'operator', 'editor', 'owner', 'worker')
const apiKey = object({
  id,
  name: text(),
  role,
  prefix: text(),
  serviceAccountId: nullable(id),
  createdAt: time,
  expiresAt: nullable(time),
  lastUsedAt: nullable(time),
})
const serviceAccount = object(
  { id, name: text(), role, createdBy: text(), createdAt: time, lastUsedAt: nullable(time) },
  ['id', 'name', 'role'],
)

export const apiKeyRoutes: readonly Route[] = [
  defineRoute({
    operationId: 'createApiKey',
    service: 'iam',
    method: 'POST',
    path: '/api/v1/api-keys',
    access: 'owner',
    summary: 'Create an API key; the key itself is shown once',
    tag: 'API keys',
    idempotent: true,
    body: {
      schema: input({ name: text(200, { minLength: 1 }), role, expiresAt: time, serviceAccountId: text(64) }, [
        'name',
        'role',
      ]),
    },
    responses: { 201: answer('Created', object({ id, name: text(), role, prefix: text(), key: text() })) },
  }),
  defineRoute({
    operationId: 'listApiKeys',
    service: 'iam',
    method: 'GET',
    path: '/api/v1/api-keys',
    access: 'owner',
    summary: 'API keys of the project',
    tag: 'API keys',
    list: true,
    responses: { 200: answer('Keys', page(apiKey)) },
  }),
  defineRoute({
    operationId: 'deleteApiKey',
    service: 'iam',
    method: 'DELETE',
    path: '/api/v1/api-keys/{id}',
    access: 'owner',
    summary: 'Revoke an API key',
    tag: 'API keys',
    responses: { 204: noContent },
  }),
  defineRoute({
    operationId: 'createServiceAccount',
    service: 'iam',
    method: 'POST',
    path: '/api/v1/service-accounts',
    access: 'owner',
    summary: 'Create a service account: a machine whose keys do not fall with the person who made them',
    tag: 'API keys',
    idempotent: true,
    body: { schema: input({ name: text(200, { minLength: 1 }), role }, ['name', 'role']) },
    responses: { 201: answer('Created', serviceAccount) },
  }),
  defineRoute({
    operationId: 'listServiceAccounts',
    service: 'iam',
    method: 'GET',
    path: '/api/v1/service-accounts',
    access: 'owner',
    summary: 'Service accounts of the project',
    tag: 'API keys',
    list: true,
    responses: { 200: answer('Service accounts', page(serviceAccount)) },
  }),
  defineRoute({
    operationId: 'getServiceAccount',
    service: 'iam',
    method: 'GET',
    path: '/api/v1/service-accounts/{id}',
    access: 'owner',
    summary: 'One service account',
    tag: 'API keys',
    responses: { 200: answer('The service account', serviceAccount) },
  }),
  defineRoute({
    operationId: 'deleteServiceAccount',
    service: 'iam',
    method: 'DELETE',
    path: '/api/v1/service-accounts/{id}',
    access: 'owner',
    summary: 'Delete a service account and revoke its keys',
    tag: 'API keys',
    responses: { 204: noContent },
  }),
]
