import { infiniteQueryOptions } from '@tanstack/react-query'
import { type Api, read } from '../api/client'
import { type RunFilters, runFilterOf } from './run-filters'

const pageSize = 50

/** Below `live`: read anew when the project's stream says that something changed. */
export const runsQuery = (api: Api, filters: RunFilters) =>
  infiniteQueryOptions({
    queryKey: [api.project, 'live', 'runs', filters],
    queryFn: ({ pageParam }) => {
      const query = {
        ...runFilterOf(filters, Date.now()),
        limit: pageSize,
        ...(pageParam === '' ? {} : { cursor: pageParam }),
      }
      return read(api.client.GET('/api/v1/runs', { params: { query } }))
    },
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  })
