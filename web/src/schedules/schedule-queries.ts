import { queryOptions } from '@tanstack/react-query'
import { type Api, read } from '../api/client'
import { hasRunEnded, type RunSummary, type Schedule } from '../api/types'

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

/**
 * By the label that a schedule puts on its runs, however rare they are among the workflow's. Read anew when its last tick
 * changed and while one of them goes on, not with every run of the project: of a rare schedule many runs are looked at.
 */
export const scheduleRunsQuery = (api: Api, { id, workflow, lastRunId }: Schedule) =>
  queryOptions({
    queryKey: [api.project, 'schedule', id, 'runs', workflow, lastRunId],
    queryFn: () => {
      const query = { workflow, label: `schedule=${id}`, limit: shownRuns }
      return read(api.client.GET('/api/v1/runs', { params: { query } }))
    },
    placeholderData: (old) => old,
    refetchInterval: ({ state }) =>
      state.data?.items.some(({ status }) => !hasRunEnded(status)) ? openPollMs : endedPollMs,
  })

const openPollMs = 4_000
const endedPollMs = 30_000

/** Of the runs with a schedule's label, those of its ticks: others were started by hand. */
export const ticksOf = (runs: readonly RunSummary[], id: string): RunSummary[] =>
  runs.filter(({ startedBy }) => startedBy?.type === 'schedule' && startedBy.id === id)

export const titleOf = ({ name, workflow }: Pick<Schedule, 'name' | 'workflow'>): string => name || workflow
export const stateOf = ({ paused }: Pick<Schedule, 'paused'>): string => (paused ? 'paused' : 'active')
