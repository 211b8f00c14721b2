import { queryOptions } from '@tanstack/react-query'
import { type Api, read } from '../api/client'
import type { RunStatus } from '../api/types'
import { type Span, timesOf } from './overview-model'

/** The end of the range moves in steps of its buckets, so that the same range is the same question for a while. */
const endOf = ({ bucketMs, toMs }: Span): number => toMs ?? Math.ceil(Date.now() / bucketMs) * bucketMs

export const statsQuery = (api: Api, range: Span) =>
  queryOptions({
    queryKey: [api.project, 'live', 'stats', range.id],
    queryFn: () => {
      const query = { ...timesOf(range, endOf(range)), bucket: range.bucket }
      return read(api.client.GET('/api/v1/stats', { params: { query } }))
    },
  })

export const countsQuery = (api: Api) =>
  queryOptions({
    queryKey: [api.project, 'live', 'counts'],
    queryFn: () => read(api.client.GET('/api/v1/runs/counts')),
  })

/**
 * Read anew when the number of failed tasks of the range changed, which is known already, and not with every run that
 * changed: it is counted over every task of the range.
 */
export const failuresQuery = (api: Api, range: Span, failed: number | undefined, limit: number) =>
  queryOptions({
    queryKey: [api.project, 'failures', range.id, limit, failed],
    queryFn: () => {
      const query = { ...timesOf(range, endOf(range)), order: 'failures' as const, limit }
      return read(api.client.GET('/api/v1/stats/tasks', { params: { query } }))
    },
    placeholderData: (old, before) => (before?.queryKey[2] === range.id ? old : undefined),
  })

/** The last task execution that failed of those that one row counts. */
export const lastFailureQuery = (api: Api, range: Span, workflow: string, task: string, failures: number) =>
  queryOptions({
    queryKey: [api.project, 'last-failure', range.id, workflow, task, failures],
    queryFn: async () => {
      const query = { ...timesOf(range, endOf(range)), workflow, task, status: ['failed' as const], limit: 1 }
      const { items } = await read(api.client.GET('/api/v1/jobs', { params: { query } }))
      return items[0] ?? null
    },
    placeholderData: (old) => old,
  })

const openStatuses: RunStatus[] = ['queued', 'running', 'paused', 'cancelling']

/** What was created longest ago and has not ended; of any number of open runs these few alone are read. */
export const longestOpenQuery = (api: Api, limit: number) =>
  queryOptions({
    queryKey: [api.project, 'live', 'longest-open', limit],
    queryFn: () =>
      read(api.client.GET('/api/v1/runs', { params: { query: { status: openStatuses, order: 'oldest', limit } } })),
  })

export const queuesQuery = (api: Api, limit: number) =>
  queryOptions({
    queryKey: [api.project, 'live', 'queues', limit],
    queryFn: () => read(api.client.GET('/api/v1/queues', { params: { query: { order: 'depth', limit } } })),
  })

/** The lost ones first: newest first, as the API lists workers, they would stand behind those that replaced them. */
export const workersQuery = (api: Api, limit: number) =>
  queryOptions({
    queryKey: [api.project, 'live', 'workers', limit],
    queryFn: async () => {
      const ask = (state?: ['lost']) =>
        read(api.client.GET('/api/v1/workers', { params: { query: { limit, ...(state ? { state } : {}) } } }))
      const newest = await ask()
      const lost = newest.totals.lost === 0 ? [] : (await ask(['lost'])).items
      const others = newest.items.filter(({ state }) => state !== 'lost')
      return { ...newest, items: [...lost, ...others].slice(0, limit) }
    },
  })
