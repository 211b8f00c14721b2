import { queryOptions } from '@tanstack/react-query'
import { type Api, read } from '../api/client'
import { runsOfScheduleKey } from '../api/live'
import type { RunSummary, Schedule } from '../api/types'

export const schedulesQuery = (api: Api, workflow: string) =>
  queryOptions({
    queryKey: [api.project, 'live', 'schedules', workflow],
    queryFn: () => {
      const query = { limit: 200, ...(workflow === '' ? {} : { workflow }) }
      return read(api.client.GET('/api/v1/schedules', { params: { query } }))
    },
    placeholderData: (old) => old,
  })

export const scheduleQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: [api.project, 'schedule', id],
    queryFn: () => read(api.client.GET('/api/v1/schedules/{id}', { params: { path: { id } } })),
  })

const shownTicks = 10

/** With the next one and what they follow from in the key: they are read anew when any of it changes. */
export const nextTicksQuery = (api: Api, { id, nextAt, cron, every, timezone }: Schedule) =>
  queryOptions({
    queryKey: [api.project, 'schedule', id, 'next', nextAt, cron, every, timezone],
    queryFn: () =>
      read(api.client.GET('/api/v1/schedules/{id}/next', { params: { path: { id }, query: { n: shownTicks } } })),
    placeholderData: (old) => old,
  })

export const previewQuery = (api: Api, id: string, range: { from: string; to: string } | undefined) =>
  queryOptions({
    queryKey: [api.project, 'schedule', id, 'preview', range],
    queryFn: () =>
      read(
        api.client.GET('/api/v1/schedules/{id}/backfill/preview', {
          params: { path: { id }, query: range ?? { from: '', to: '' } },
        }),
      ),
    enabled: range !== undefined,
    placeholderData: (old) => old,
  })

/** As many as its strip shows. */
const shownRuns = 30

/** By the label that a schedule puts on its runs, however rare they are among the workflow's. */
export const scheduleRunsQuery = (api: Api, { id, workflow }: Schedule) =>
  queryOptions({
    queryKey: [...runsOfScheduleKey(api, id), workflow],
    queryFn: () => {
      const query = { workflow, label: `schedule=${id}`, limit: shownRuns }
      return read(api.client.GET('/api/v1/runs', { params: { query } }))
    },
    placeholderData: (old) => old,
  })

/** Of the runs with a schedule's label, those of its ticks: others were started by hand. */
export const ticksOf = (runs: readonly RunSummary[], id: string): RunSummary[] =>
  runs.filter(({ startedBy }) => startedBy?.type === 'schedule' && startedBy.id === id)

export const titleOf = ({ name, workflow }: Pick<Schedule, 'name' | 'workflow'>): string => name || workflow
export const stateOf = ({ paused }: Pick<Schedule, 'paused'>): string => (paused ? 'paused' : 'active')
