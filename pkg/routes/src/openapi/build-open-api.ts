import { routes } from '../table.js'
import type { JsonSchema, Route } from '../types.js'
import { components } from './components.js'
import { operationOf } from './operation.js'
import { References } from './references.js'
import { nameSchemas } from './schema-names.js'

/** The OpenAPI path of a route; `{file+}` is written as a plain parameter, the nearest that OpenAPI can say. */
export const openApiPath = (route: Route): string => route.path.replace('+}', '}')

export function buildOpenApi(): JsonSchema {
  const references = new References(nameSchemas(routes))
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const route of routes) {
    const path = openApiPath(route)
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, references) }
  }
  const tags = [...new Set(routes.map((route) => route.tag))].map((name) => ({ name }))
  return {
    openapi: '3.1.1',
    info: {
      title: 'Millrace',
      version: '1.0.0',
      description: 'Durable workflows: describe work as a graph of tasks, run it, see it, be told how it ended.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    security: [{ bearer: [] }],
    tags,
    paths,
    components: { ...components, schemas: { ...components.schemas, ...references.schemas } },
  }
}
