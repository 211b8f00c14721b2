import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { hasRunEnded, type Run } from '../api/types'
import { useApi } from '../api/use-api'
import { plural } from '../ui/format'
import { groupBy } from '../ui/group-by'
import { Status, toneOf } from '../ui/status'
import { carriedItems, mapItemsQuery, readMs } from './map-items'

interface TaskItemsProps {
  run: Run
  taskKey: string
  onSelect: (key: string, index: number) => void
}

/** The items of a map as a grid, one cell each. A run carries the first of them; the rest are read. */
export function TaskItems({ run, taskKey, onSelect }: TaskItemsProps) {
  const api = useApi()
  const carried = useMemo(
    () => run.tasks.filter((task) => task.key === taskKey && task.index !== undefined),
    [run.tasks, taskKey],
  )
  const more = useQuery({
    ...mapItemsQuery(api, run.id, taskKey),
    enabled: carried.length >= carriedItems,
    refetchInterval: hasRunEnded(run.status) ? false : readMs,
  })
  const items = useMemo(() => {
    const all = new Map(carried.map((task) => [task.index ?? -1, task]))
    for (const task of more.data ?? []) {
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
      <fieldset className="items-grid" aria-label="Items">
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
      </fieldset>
    </div>
  )
}
