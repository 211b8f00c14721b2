import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { signedOutRoutes } from './session/routes'
import { toDefaultProject } from './shell/default-project'
import { RoomError } from './shell/room-error'
import { Shell } from './shell/shell'
import { Notice } from './ui/states'

const root = createRootRoute({ component: Outlet, notFoundComponent: () => <Notice title="There is nothing here" /> })

/** Everything about one project, so that a link shows a colleague the same. */
const project = createRoute({ getParentRoute: () => root, path: '/p/$project', component: Shell })

/** Every search parameter is text, and absent when empty: a room reads those it knows. */
const search = (input: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(input).flatMap(([key, value]) =>
      value === '' || value === undefined ? [] : [[key, String(value)]],
    ),
  )

const room = <Path extends string>(path: Path, load: () => Promise<Record<string, unknown>>, name: string) =>
  createRoute({
    getParentRoute: () => project,
    path,
    validateSearch: search,
    component: lazyRouteComponent(load as () => Promise<Record<string, never>>, name),
    errorComponent: RoomError,
  })

const rooms = [
  createRoute({
    getParentRoute: () => project,
    path: '/',
    beforeLoad: ({ params }) => {
      throw redirect({ to: '/p/$project/overview', params })
    },
  }),
  room('/overview', () => import('./overview/overview-page'), 'OverviewPage'),
  room('/runs', () => import('./runs/runs-page'), 'RunsPage'),
  room('/runs/$runId', () => import('./run/run-page'), 'RunPage'),
  room('/workflows', () => import('./workflows/workflows-page'), 'WorkflowsPage'),
  room('/workflows/new', () => import('./workflows/editor-page'), 'NewWorkflowPage'),
  room('/workflows/$name', () => import('./workflows/workflow-page'), 'WorkflowPage'),
  room('/workflows/$name/edit', () => import('./workflows/editor-page'), 'EditWorkflowPage'),
  room('/workflows/$name/start', () => import('./workflows/start-page'), 'StartPage'),
  room('/approvals', () => import('./approvals/approvals-page'), 'ApprovalsPage'),
  room('/schedules', () => import('./schedules/schedules-page'), 'SchedulesPage'),
  room('/schedules/new', () => import('./schedules/schedule-form-page'), 'NewSchedulePage'),
  room('/schedules/$scheduleId', () => import('./schedules/schedule-page'), 'SchedulePage'),
  room('/schedules/$scheduleId/edit', () => import('./schedules/schedule-form-page'), 'EditSchedulePage'),
  room('/dead-letters', () => import('./dead-letters/dead-letters-page'), 'DeadLettersPage'),
  room('/dead-letters/$deadLetterId', () => import('./dead-letters/dead-letter-page'), 'DeadLetterPage'),
  room('/workers', () => import('./workers/workers-page'), 'WorkersPage'),
  room('/notifications', () => import('./notifications/notifications-page'), 'NotificationsPage'),
  room('/notifications/$subscriptionId', () => import('./notifications/subscription-page'), 'SubscriptionPage'),
  room('/artifacts', () => import('./artifacts/artifacts-page'), 'ArtifactsPage'),
  room('/settings', () => import('./settings/settings-page'), 'SettingsPage'),
]

/** Addresses without a project, as mails and scripts write them. */
const short = createRoute({ getParentRoute: () => root, path: '/$', beforeLoad: toDefaultProject })
const home = createRoute({ getParentRoute: () => root, path: '/', beforeLoad: toDefaultProject })

const tree = root.addChildren([home, ...signedOutRoutes(root), project.addChildren(rooms), short])

export const router = createRouter({
  routeTree: tree,
  defaultPreload: 'intent',
  scrollRestoration: true,
  // Plain text in the address, as people write it; the default would quote numbers and lists as JSON.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (values) => {
    const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== '')
    const text = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString()
    return text === '' ? '' : `?${text}`
  },
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
