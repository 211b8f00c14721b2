import { randomUUID } from 'node:crypto'
import { uniqueName } from './client.js'

export const rank = ['viewer', 'operator', 'editor', 'owner'] as const

type RoleCall = [
  what: string,
  needed: (typeof rank)[number],
  method: string,
  path: () => string,
  body: object | undefined,
]

/** What each role may do at least; none of these changes anything that another test looks at. */
export function roleCalls(workflow: () => string): RoleCall[] {
  return [
    ['list runs', 'viewer', 'GET', () => '/api/v1/runs', undefined],
    ['read stats', 'viewer', 'GET', () => '/api/v1/stats', undefined],
    ['validate', 'viewer', 'POST', () => '/api/v1/workflows/validate', { name: 'x', tasks: { a: { uses: 'noop' } } }],
    ['start a run', 'operator', 'POST', () => `/api/v1/workflows/${workflow()}/runs`, {}],
    ['cancel a run', 'operator', 'POST', () => `/api/v1/runs/${randomUUID()}/cancel`, undefined],
    ['start many runs', 'operator', 'POST', () => `/api/v1/workflows/${workflow()}/runs/batch`, { items: [] }],
    ['pause a run', 'operator', 'POST', () => `/api/v1/runs/${randomUUID()}/pause`, undefined],
    ['resume a workflow', 'operator', 'POST', () => `/api/v1/workflows/${workflow()}/resume`, undefined],
    ['schedule a task', 'operator', 'POST', () => '/api/v1/tasks/schedule', { type: 'map' }],
    ['read dead letters', 'viewer', 'GET', () => '/api/v1/dlq', undefined],
    ['retry dead letters', 'operator', 'POST', () => '/api/v1/dlq/retry', { filter: {} }],
    ['delete a dead letter', 'operator', 'DELETE', () => `/api/v1/dlq/${randomUUID()}`, undefined],
    ['start a draft', 'operator', 'POST', () => `/api/workflows/${randomUUID()}/start`, undefined],
    ['begin a draft', 'editor', 'POST', () => '/api/workflows', { name: 'Not A Name' }],
    ['make a hook', 'editor', 'POST', () => `/api/v1/workflows/${uniqueName('no')}/hooks`, undefined],
    ['redeliver', 'operator', 'POST', () => `/api/v1/notifications/${randomUUID()}/redeliver`, undefined],
    ['create a workflow', 'editor', 'POST', () => '/api/v1/workflows', { name: 'Not A Name', tasks: {} }],
    ['archive a workflow', 'editor', 'DELETE', () => `/api/v1/workflows/${uniqueName('no')}`, undefined],
    ['announce an artifact', 'editor', 'POST', () => '/api/v1/artifacts', { name: 'a/b' }],
    ['subscribe', 'editor', 'POST', () => '/api/v1/subscriptions', { events: [] }],
    ['list keys', 'owner', 'GET', () => '/api/v1/api-keys', undefined],
    ['read the audit log', 'owner', 'GET', () => '/api/v1/audit', undefined],
    ['revoke a key', 'owner', 'DELETE', () => `/api/v1/api-keys/${randomUUID()}`, undefined],
  ]
}
