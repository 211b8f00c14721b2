import { defineRoute } from '../define-route.js'
import { answer, object, text } from '../schema.js'
import type { Route } from '../types.js'

export const platformRoutes: readonly Route[] = [
  defineRoute({
    operationId: 'getHealth',
    service: 'workflow',
    method: 'GET',
    path: '/healthz',
    access: 'open',
    summary: 'The process is up',
    tag: 'Platform',
    responses: { 200: answer('Up', object({ status: text() })) },
  }),
  defineRoute({
    operationId: 'getReadiness',
    service: 'workflow',
    method: 'GET',
    path: '/readyz',
    access: 'open',
    summary: 'The dependencies are up',
    tag: 'Platform',
    responses: {
      200: answer('Ready', object({ status: text(), dependencies: { type: 'object' } })),
      503: answer('Not ready', object({ status: text(), dependencies: { type: 'object' } })),
    },
  }),
  defineRoute({
    operationId: 'getOpenApi',
    service: 'workflow',
    method: 'GET',
    path: '/api/v1/openapi.json',
    access: 'open',
    summary: 'This document',
    tag: 'Platform',
    responses: { 200: answer('OpenAPI 3.1', { type: 'object' }) },
  }),
  defineRoute({
    operationId: 'getDefinitionSchema',
    service: 'workflow',
    method: 'GET',
    path: '/api/v1/schemas/definition.json',
    access: 'open',
    summary: 'JSON Schema of a workflow definition',
    tag: 'Platform',
    responses: {
      200: { description: 'JSON Schema', contentType: 'application/schema+json', schema: { type: 'object' } },
    },
  }),
  defineRoute({
    operationId: 'getDocs',
    service: 'workflow',
    method: 'GET',
    path: '/docs',
    anyQuery: true,
    access: 'open',
    summary: 'Reference of this API, to read and try',
    tag: 'Platform',
    responses: { 200: { description: 'HTML', contentType: 'text/html' } },
  }),
  defineRoute({
    operationId: 'getDocsFile',
    service: 'workflow',
    method: 'GET',
    path: '/docs/{file+}',
    anyQuery: true,
    access: 'open',
    summary: 'Files of the reference',
    tag: 'Platform',
    responses: { 200: { description: 'A file', contentType: '*/*' } },
  }),
]
