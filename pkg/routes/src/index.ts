export { consoleTokenPath, isConsolePath } from './console-paths.js'
export { defineRoute } from './define-route.js'
export { buildEnvoyRoutes, type EnvoyRoute } from './envoy-routes.js'
export { createMatcher, type Matcher } from './matcher.js'
export { buildOpenApi, openApiPath } from './openapi/build-open-api.js'
export * as schema from './schema.js'
export { matchRoute, openRoutes, routes, routesOf } from './table.js'
export type {
  Access,
  JsonSchema,
  Method,
  Route,
  RouteBody,
  RouteMatch,
  RouteResponse,
  ServiceName,
  StreamKind,
} from './types.js'
