import { queryOptions } from '@tanstack/react-query'
import { type Api, read } from '../api/client'
import type { Body, Item, Sent } from '../api/types'
import { pagedQuery } from '../shell/paged-list'

export type Worker = Item<Body<'listWorkers'>>
export type SharedWorkers = Body<'listWorkers'>['shared']
export type Queue = Item<Body<'listQueues'>>
export type RunningJob = Sent<Item<Body<'listJobs'>>>

/** Below the project, as `useAction` names them. */
export const workersKey = ['live', 'workers-room', 'workers']
export const queuesKey = ['live', 'workers-room', 'queues']

export const workersQuery = (api: Api) =>
  pagedQuery([api.project, ...workersKey], (query) => read(api.client.GET('/api/v1/workers', { params: { query } })))

export const queuesQuery = (api: Api) =>
  pagedQuery([api.project, ...queuesKey], (query) => read(api.client.GET('/api/v1/queues', { params: { query } })))

/** What a worker runs now, of this project: those of other projects are not the caller's to see. */
export const runningJobsQuery = (api: Api, worker: string) =>
  queryOptions({
    queryKey: [api.project, 'live', 'workers-room', 'jobs', worker],
    queryFn: async () => {
      const query = { worker, status: ['running' as const], limit: 100 }
      const { items } = await read(api.client.GET('/api/v1/jobs', { params: { query } }))
      return items as RunningJob[]
    },
  })
