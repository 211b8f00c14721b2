import { type RunStatus, runStatuses } from '../api/types'
import { fromTime } from '../ui/time-span'

/** The filters of the runs list, as the address has them. All are text; absent means any. */
export interface RunFilters {
  status?: string
  workflow?: string
  label?: string
  q?: string
  from?: string
  to?: string
}

const names = ['status', 'workflow', 'label', 'q', 'from', 'to'] as const

/** Also from an address that somebody typed: what is no filter, or no status, is left out. */
export function filtersOf(search: Record<string, unknown>): RunFilters {
  const filters: RunFilters = {}
  for (const name of names) {
    const value = search[name]
    if (typeof value === 'string' && value !== '') filters[name] = value
  }
  const statuses = statusesOf(filters)
  if (filters.status !== undefined && statuses.length === 0) delete filters.status
  else if (statuses.length > 0) filters.status = statuses.join(',')
  return filters
}

export const statusesOf = ({ status }: RunFilters): RunStatus[] =>
  (status ?? '').split(',').filter((each): each is RunStatus => (runStatuses as readonly string[]).includes(each))

export function toggleStatus(filters: RunFilters, status: RunStatus): RunFilters {
  const chosen = new Set(statusesOf(filters))
  if (!chosen.delete(status)) chosen.add(status)
  const { status: _, ...rest } = filters
  return chosen.size === 0 ? rest : { ...rest, status: runStatuses.filter((each) => chosen.has(each)).join(',') }
}

/** As the API takes them: a span before now becomes a time. */
export function runFilterOf(filters: RunFilters, now: number) {
  const { from, status, ...rest } = filters
  const since = fromTime(from, now)
  return {
    ...rest,
    ...(status === undefined ? {} : { status: statusesOf(filters) }),
    ...(since === undefined ? {} : { from: since }),
  }
}
