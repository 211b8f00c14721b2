import type { NotificationType } from './topic.js'

export interface Filter {
  workflow?: string
  status?: string[]
  labels?: Record<string, string>
}

export interface Filterable {
  type: NotificationType
  workflow?: string | undefined
  status?: string | undefined
  labels: Readonly<Record<string, string>>
}

/**
 * All that is named must hold; what has no workflow or labels meets no filter by them. `status` speaks of how a run ended, so only
 * `workflow.completed` is held to it.
 */
export function matchesFilter(filter: Filter, event: Filterable): boolean {
  if (filter.workflow !== undefined && filter.workflow !== event.workflow) return false
  if (filter.status !== undefined && event.type === 'workflow.completed') {
    if (event.status === undefined || !filter.status.includes(event.status)) return false
  }
  return Object.entries(filter.labels ?? {}).every(
    ([name, value]) => Object.hasOwn(event.labels, name) && event.labels[name] === value,
  )
}
