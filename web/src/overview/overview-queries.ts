import { queryOptions } from '@tanstack/react-query'
import { type Api, read } from '../api/client'
import type { RunStatus } from '../api/types'
import type { Span } from './overview-model'

/** The end of the range moves in steps of its buckets, so that the same range is the same question for a while. */
const endOf = ({ bucketMs, toMs }: Span): number => toMs ?? Math.ceil(Date.now() / bucketMs) * bucketMs

export const statsQuery = (api: Api, range: Span) =>
  queryOptions({
    queryKey: [api.project, 'live', 'stats', range.id],
    queryFn: () => {
      const to = endOf(range)
      const query = {
        from: new Date(to - range.spanMs).toISOString(),
        to: new Date(to).toISOString(),
        bucket: range.bucket,
      }
      return read(api.client.GET('/api/v1/stats', { params: { query } }))
    },
  })

export const countsQuery = (api: Api) =>
  queryOptions({
    queryKey: [api.project, 'live', 'counts'],
    queryFn: () => read(api.client.GET('/api/v1/runs/counts')),
  })

export const runsByStatusQuery = (api: Api, status: RunStatus[], range?: Span) =>
  queryOptions({
    queryKey: [api.project, 'live', 'by-status', status.join(), range?.id ?? ''],
    queryFn: () => {
      const from = range
        ? {
            from: new Date(endOf(range) - range.spanMs).toISOString(),
            ...(range.toMs === undefined ? {} : { to: new Date(range.toMs).toISOString() }),
          }
        : {}
      return read(api.client.GET('/api/v1/runs', { params: { query: { status, limit: 200, ...from } } }))
    },
  })

export const queuesQuery = (api: Api) =>
  queryOptions({ queryKey: [api.project, 'live', 'queues'], queryFn: () => read(api.client.GET('/api/v1/queues')) })

export const workersQuery = (api: Api) =>
  queryOptions({ queryKey: [api.project, 'live', 'workers'], queryFn: () => read(api.client.GET('/api/v1/workers')) })
