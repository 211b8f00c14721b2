import type { Route } from '../types.js'
import { deadLetterRoutes } from './workflow-dead-letters.js'
import { definitionRoutes } from './workflow-definitions.js'
import { platformRoutes } from './workflow-platform.js'
import { runRoutes } from './workflow-runs.js'
import { wayInRoutes } from './workflow-ways-in.js'

export const workflowRoutes: readonly Route[] = [
  ...definitionRoutes,
  ...runRoutes,
  ...wayInRoutes,
  ...deadLetterRoutes,
  ...platformRoutes,
]
