import type { Route } from '@millrace/routes'

const queryValues: Record<string, string> = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' }

/** A path of the table with its parameters filled in, and the query that it cannot do without. */
export function fillPath(route: Route, params: Record<string, string>): string {
  const path = route.path.replace(/\{(\w+)\+?\}/g, (_, name: string) => params[name] ?? 'x')
  const query = (route.requiredQuery ?? []).map((name) => `${name}=${queryValues[name] ?? 'x'}`)
  return query.length === 0 ? path : `${path}?${query.join('&')}`
}

export const hasParams = (route: Route): boolean => route.path.includes('{')

export const title = (route: Route): string => `${route.method} ${route.path}`

/** Bodies that pass validation, by operation, where an empty one does not. */
export const bodies: Record<string, object> = {
  putWorkflow: { name: 'x', tasks: { a: { uses: 'noop' } } },
  startRuns: { items: [{}] },
  updateSubscription: { enabled: false },
  updateSchedule: { paused: true },
  backfillSchedule: { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' },
  createArtifactParts: { count: 2 },
  presignArtifact: { expiresIn: 60 },
  putMember: { email: 'a@example.test', role: 'viewer' },
  putMemberById: { role: 'viewer' },
}
