import { useQueries, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useRefetchInterval } from '../api/live'
import type { RunSummary, WorkflowSummary } from '../api/types'
import { useApi } from '../api/use-api'
import { schedulesQuery } from '../schedules/schedule-queries'
import { groupBy } from '../ui/group-by'
import { durationP95, soonest } from './activity-model'
import { recentRunsQuery } from './workflow-queries'

export interface WorkflowActivity {
  runs: readonly RunSummary[]
  /** False while nothing was read of it. */
  known: boolean
  p95: number | undefined
  nextAt: string | undefined
}

const shownRuns = 30
const readAtOnce = 200
/** Rows whose last runs are asked for one by one, where others filled the one answer for all. */
const askedAlone = 20

/** What a list of workflows shows of each, in two calls; those that ran too long ago to be among the latest are asked for. */
export function useActivity(workflows: readonly WorkflowSummary[]): (name: string) => WorkflowActivity {
  const api = useApi()
  const refetchInterval = useRefetchInterval()
  const recent = useQuery({ ...recentRunsQuery(api), refetchInterval })
  const schedules = useQuery({ ...schedulesQuery(api, ''), refetchInterval })
  const latest = useMemo(() => groupBy(recent.data?.items ?? [], ({ workflow }) => workflow), [recent.data])
  const whole = (recent.data?.items.length ?? 0) < readAtOnce
  const missing = recent.data && !whole ? workflows.filter(({ name }) => !latest.has(name)).slice(0, askedAlone) : []
  const alone = useQueries({
    queries: missing.map(({ name }) => ({ ...recentRunsQuery(api, name, shownRuns), staleTime: 60_000 })),
  })
  const asked = new Map(missing.map(({ name }, at) => [name, alone[at]?.data?.items]))
  const next = useMemo(() => soonest(schedules.data?.items ?? []), [schedules.data])
  return (name) => {
    const runs = (latest.get(name) ?? asked.get(name) ?? []).slice(0, shownRuns)
    const known = runs.length > 0 || asked.get(name) !== undefined || (recent.isSuccess && whole)
    return { runs, known, p95: durationP95(runs), nextAt: next.get(name) }
  }
}
