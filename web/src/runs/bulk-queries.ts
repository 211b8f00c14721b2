import { queryOptions } from '@tanstack/react-query'
import { type Api, read } from '../api/client'
import type { Body } from '../api/types'
import { type RunFilters, runFilterOf } from './run-filters'

export type BulkAction = 'cancel' | 'retry' | 'delete'
export type BulkJob = Body<'getBulk'>

/** Runs that were ticked, or all that match the filters, also those that are not on screen. */
export type Choice = { ids: readonly string[] } | { filters: RunFilters }

export function bulkBody(action: BulkAction, choice: Choice) {
  if ('ids' in choice) return { action, ids: [...choice.ids] }
  return { action, filter: runFilterOf(choice.filters, Date.now()) }
}

/** The id of the job that does it. */
export async function startBulk(api: Api, action: BulkAction, choice: Choice): Promise<string> {
  const answer: Body<'bulkRuns'> = await read(api.client.POST('/api/v1/runs/bulk', { body: bulkBody(action, choice) }))
  return 'id' in answer ? answer.id : ''
}

/** How many the action would change: asked before it is confirmed. */
export const bulkCountQuery = (api: Api, action: BulkAction, filters: RunFilters) =>
  queryOptions({
    queryKey: [api.project, 'bulk-count', action, filters],
    queryFn: async () => {
      const body = { ...bulkBody(action, { filters }), dryRun: true }
      return await read(api.client.POST('/api/v1/runs/bulk', { body }))
    },
    staleTime: 0,
    gcTime: 0,
  })

export const bulkJobQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: [api.project, 'bulk', id],
    queryFn: () => read(api.client.GET('/api/v1/bulk/{id}', { params: { path: { id } } })),
    refetchInterval: ({ state }) => (state.data?.status === 'done' ? false : 700),
  })
