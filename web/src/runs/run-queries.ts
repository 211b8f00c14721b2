import { infiniteQueryOptions } from '@tanstack/react-query'
import { type Api, read } from '../api/client'
import { fromTime } from '../ui/time-span'
import { type RunFilters, statusesOf } from './run-filters'

const pageSize = 50

/** Below `live`: read anew when the project's stream says that something changed. */
export const runsQuery = (api: Api, filters: RunFilters) =>
  infiniteQueryOptions({
    queryKey: [api.project, 'live', 'runs', filters],
    queryFn: ({ pageParam }) => {
      const { from, status, ...rest } = filters
      const since = fromTime(from, Date.now())
      const query = {
        ...rest,
        limit: pageSize,
        ...(status === undefined ? {} : { status: statusesOf(filters) }),
        ...(since === undefined ? {} : { from: since }),
        ...(pageParam === '' ? {} : { cursor: pageParam }),
      }
      return read(api.client.GET('/api/v1/runs', { params: { query } }))
    },
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  })
