import { queryOptions, useQueries, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type Api, read } from '../api/client'
import { hasRunEnded, hasTaskEnded, type Run, type Task } from '../api/types'
import { useApi } from '../api/use-api'
import type { ItemCounts } from '../graph/graph-model'
import { withItems } from './task-rows'

/** A run carries this many items of each map; all of them are read page by page. */
export const carriedItems = 200
/** Items beyond those are not in the run's stream. */
export const readMs = 4_000

export const mapItemsQuery = (api: Api, runId: string, key: string) =>
  queryOptions({
    queryKey: [api.project, 'run', runId, 'items', key],
    queryFn: async () => {
      const items: Task[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const query: { key: string; limit: number; cursor?: string } = { key, limit: carriedItems }
        if (cursor !== '') query.cursor = cursor
        const page: { items: Task[]; nextCursor: string | null } = await read(
          api.client.GET('/api/v1/runs/{id}/tasks', { params: { path: { id: runId }, query } }),
        )
        items.push(...page.items.filter(({ index }) => index !== undefined))
        cursor = page.nextCursor
      }
      return items
    },
  })

/** The task that is selected; an item beyond those that the run carries is read. */
export function useTask(run: Run, key: string | undefined, index: number | undefined): Task | undefined {
  const api = useApi()
  const isIt = (task: Task) => task.key === key && task.index === index
  const carried = run.tasks.find(isIt)
  const items = useQuery({
    ...mapItemsQuery(api, run.id, key ?? ''),
    enabled: key !== undefined && index !== undefined && carried === undefined,
    refetchInterval: hasRunEnded(run.status) ? false : readMs,
  })
  return carried ?? items.data?.find(isIt)
}

const countStatuses = (items: readonly Task[]): ItemCounts => {
  const counts: Record<string, number> = {}
  for (const { status } of items) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/**
 * True counts of maps with more items than the run carries: while one goes on, what the task says of itself; once it
 * ended, its items, read once.
 */
export function useMapCounts(run: Run): ReadonlyMap<string, ItemCounts> {
  const api = useApi()
  const carried = countBy(run.tasks)
  const large = run.tasks.filter((task) => task.index === undefined && (carried.get(task.key) ?? 0) >= carriedItems)
  const over = large.filter(({ status }) => hasTaskEnded(status)).map(({ key }) => key)
  const read = useQueries({
    queries: over.map((key) => ({ ...mapItemsQuery(api, run.id, key), staleTime: Number.POSITIVE_INFINITY })),
  })
  const told = JSON.stringify([
    ...large.flatMap(({ key, waitingFor }) =>
      waitingFor?.total
        ? [[key, { ended: waitingFor.done ?? 0, pending: waitingFor.total - (waitingFor.done ?? 0) }]]
        : [],
    ),
    ...over.flatMap((key, at) => (read[at]?.data ? [[key, countStatuses(read[at].data)]] : [])),
  ])
  return useMemo(() => new Map(JSON.parse(told) as [string, ItemCounts][]), [told])
}

/** All tasks, also the items beyond those that the run carries: these are read while `wanted`. */
export function useAllTasks(run: Run, wanted: boolean): readonly Task[] {
  const api = useApi()
  const large = wanted ? [...countBy(run.tasks)].flatMap(([key, count]) => (count >= carriedItems ? [key] : [])) : []
  const read = useQueries({
    queries: large.map((key) => ({
      ...mapItemsQuery(api, run.id, key),
      refetchInterval: hasRunEnded(run.status) ? (false as const) : readMs,
    })),
  })
  const stamp = read.map(({ dataUpdatedAt }) => dataUpdatedAt).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the lists are new each time; what they hold changes with their times
  return useMemo(
    () => withItems(run.tasks, new Map(large.flatMap((key, at) => (read[at]?.data ? [[key, read[at].data]] : [])))),
    [run.tasks, large.join(), stamp],
  )
}

function countBy(tasks: readonly Task[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { key, index } of tasks) if (index !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}
