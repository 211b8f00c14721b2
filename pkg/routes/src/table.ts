import { createMatcher } from './matcher.js'
import { apiKeyRoutes } from './table/api-keys.js'
import { artifactRoutes } from './table/artifact.js'
import { iamRoutes } from './table/iam.js'
import { metadataRoutes } from './table/metadata.js'
import { notificationRoutes } from './table/notification.js'
import { oidcAndKeyRoutes } from './table/oidc-and-keys.js'
import { projectRoutes } from './table/projects.js'
import { scheduleRoutes } from './table/schedules.js'
import { secretRoutes } from './table/secrets.js'
import { workerAndQueueRoutes } from './table/workers-and-queues.js'
import { workflowRoutes } from './table/workflow.js'
import type { Route, RouteMatch, ServiceName } from './types.js'

export const routes: readonly Route[] = [
  ...iamRoutes,
  ...oidcAndKeyRoutes,
  ...projectRoutes,
  ...apiKeyRoutes,
  ...secretRoutes,
  ...workflowRoutes,
  ...scheduleRoutes,
  ...workerAndQueueRoutes,
  ...metadataRoutes,
  ...notificationRoutes,
  ...artifactRoutes,
]

const ids = new Set<string>()
for (const route of routes) {
  if (ids.has(route.operationId)) throw new Error(`operation ${route.operationId} is defined twice`)
  ids.add(route.operationId)
}

const matcher = createMatcher(routes)

export const routesOf = (service: ServiceName): Route[] => routes.filter((route) => route.service === service)

export const openRoutes = (): Route[] => routes.filter((route) => route.access === 'open')

/** `path` has no query. */
export const matchRoute = (method: string, path: string): RouteMatch | undefined => matcher.match(method, path)
