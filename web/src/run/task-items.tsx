import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { read } from '../api/client'
import { hasRunEnded, type Run } from '../api/types'
import { useApi } from '../api/use-api'
import { plural } from '../ui/format'
import { groupBy } from '../ui/group-by'
import { Status, toneOf } from '../ui/status'

interface TaskItemsProps {
  run: Run
  taskKey: string
  onSelect: (key: string, index: number) => void
}

/** The items of a map as a grid, one cell each. A run carries 200 of them; the rest are read page by page. */
export function TaskItems({ run, taskKey, onSelect }: TaskItemsProps) {
  const api = useApi()
  const carried = useMemo(
    () => run.tasks.filter((task) => task.key === taskKey && task.index !== undefined),
    [run.tasks, taskKey],
  )
  const more = useInfiniteQuery({
    queryKey: [api.project, 'run', run.id, 'items', taskKey],
    queryFn: ({ pageParam }) =>
      read(
        api.client.GET('/api/v1/runs/{id}/tasks', {
          params: {
            path: { id: run.id },
            query: { key: taskKey, limit: 200, ...(pageParam === '' ? {} : { cursor: pageParam }) },
          },
        }),
      ),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    enabled: carried.length >= 200,
    refetchInterval: hasRunEnded(run.status) ? false : 4_000,
  })
  const { hasNextPage, isFetching, fetchNextPage } = more
  useEffect(() => {
    if (hasNextPage && !isFetching) void fetchNextPage()
  }, [hasNextPage, isFetching, fetchNextPage])
  const items = useMemo(() => {
    const all = new Map(carried.map((task) => [task.index ?? -1, task]))
    for (const task of more.data?.pages.flatMap((page) => page.items) ?? []) {
      if (task.index !== undefined && !all.has(task.index)) all.set(task.index, task)
    }
    return [...all.values()].toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0))
  }, [carried, more.data])
  const counts = groupBy(items, ({ status }) => status)
  return (
    <div className="drawer-pad items">
      <p className="items-counts">
        <strong>{plural(items.length, 'item')}</strong>
        {[...counts].map(([status, of]) => (
          <span key={status}>
            <Status status={status} /> <span className="muted">{of.length}</span>
          </span>
        ))}
      </p>
      <div className="items-grid">
        {items.map((task) => (
          <button
            key={task.index}
            type="button"
            className={`item bar-${toneOf(task.status)}`}
            data-status={task.status}
            aria-label={`Item ${task.index}, ${task.status}`}
            title={`${task.index}: ${task.status}${task.error ? ` – ${task.error.message}` : ''}`}
            onClick={() => onSelect(taskKey, task.index ?? 0)}
          />
        ))}
      </div>
    </div>
  )
}
