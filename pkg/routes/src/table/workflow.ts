import type { Route } from '../types.js'
import { deadLetterRoutes } from './workflow-dead-letters.js'
import { definitionRoutes } from './workflow-definitions.js'
import { humanStepRoutes } from './workflow-human-steps.js'
import { platformRoutes } from './workflow-platform.js'
import { runRoutes } from './workflow-runs.js'
import { wayInRoutes } from './workflow-ways-in.js'

export const workflowRoutes: readonly Route[] = [
  ...definitionRoutes,
  ...runRoutes,
  ...humanStepRoutes,
  ...wayInRoutes,
  ...deadLetterRoutes,
  ...platformRoutes,
]
