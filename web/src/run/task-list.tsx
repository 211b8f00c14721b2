import { useVirtualizer } from '@tanstack/react-virtual'
import { useMemo, useRef } from 'react'
import type { Task } from '../api/types'
import { useSearchState } from '../shell/use-search-state'
import { formatCount, plural } from '../ui/format'
import { Status } from '../ui/status'
import { Duration } from '../ui/time'
import { useListCursor } from '../ui/use-list-cursor'
import { rowsOf, type TaskSort, taskSorts } from './task-rows'
import { type TaskSpans, timesOf } from './task-spans'

interface TaskListProps {
  tasks: readonly Task[]
  /** How many there are in all; undefined while items of maps are being read. */
  total: number | undefined
  spans: TaskSpans
  selectedKey: string | undefined
  selectedIndex: number | undefined
  onSelect: (key: string, index?: number) => void
}

const rowPx = 34

export function TaskList({ tasks, total, spans, selectedKey, selectedIndex, onSelect }: TaskListProps) {
  const [search, change] = useSearchState()
  const failedOnly = search.only === 'failed'
  const sort: TaskSort = taskSorts.find(({ id }) => id === search.sort)?.id ?? 'defined'
  const shown = useMemo(
    () => rowsOf(tasks, { failedOnly, sort, spans, now: Date.now() }),
    [tasks, failedOnly, sort, spans],
  )
  return (
    <div className="task-list-frame">
      <div className="task-bar">
        <label className="form-check">
          <input
            type="checkbox"
            checked={failedOnly}
            onChange={(event) => change({ only: event.target.checked ? 'failed' : undefined })}
          />
          Failed only
        </label>
        <select
          className="input"
          aria-label="Sort"
          value={sort}
          onChange={(event) => change({ sort: event.target.value === 'defined' ? undefined : event.target.value })}
        >
          {taskSorts.map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </select>
        <span className="muted" role="status">
          {countInWords(shown.length, total)}
        </span>
      </div>
      {shown.length === 0 ? (
        <p className="muted drawer-pad">{failedOnly ? 'No task has failed.' : 'The run has no tasks.'}</p>
      ) : (
        <Rows {...{ tasks: shown, spans, selectedKey, selectedIndex, onSelect }} />
      )}
    </div>
  )
}

const countInWords = (shown: number, total: number | undefined): string => {
  if (total === undefined) return `${plural(shown, 'task')} so far, reading all items…`
  return shown === total ? plural(total, 'task') : `${formatCount(shown)} of ${plural(total, 'task')}`
}

function Rows({ tasks, spans, selectedKey, selectedIndex, onSelect }: Omit<TaskListProps, 'total'>) {
  const scroller = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({
    count: tasks.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: 12,
  })
  const active = useListCursor({
    count: tasks.length,
    onOpen: (at) => tasks[at] && onSelect(tasks[at].key, tasks[at].index),
    onMove: (at) => rows.scrollToIndex(at),
  })
  return (
    <div className="task-list" ref={scroller}>
      <ul className="task-rows" aria-label="Tasks" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start }) => {
          const task = tasks[index]
          if (!task) return null
          return (
            <li key={index} className="task-place" style={{ transform: `translateY(${start}px)` }}>
              <TaskRow
                task={task}
                spans={spans}
                active={index === active}
                chosen={task.key === selectedKey && task.index === selectedIndex}
                onSelect={onSelect}
              />
            </li>
          )
        })}
      </ul>
    </div>
  )
}

interface TaskRowProps extends Pick<TaskListProps, 'spans' | 'onSelect'> {
  task: Task
  active: boolean
  chosen: boolean
}

const TaskRow = ({ task, spans, active, chosen, onSelect }: TaskRowProps) => (
  <button
    type="button"
    className="task-row"
    aria-current={chosen}
    data-active={active}
    onClick={() => onSelect(task.key, task.index)}
  >
    <span className="task-status">
      <Status status={task.status} />
    </span>
    <span className="task-key">
      {task.key}
      {task.index !== undefined && <span className="muted">[{task.index}]</span>}
    </span>
    <span className="task-uses mono muted">{task.uses}</span>
    <span className="task-note">{task.error ? `${task.error.class}: ${task.error.message}` : ''}</span>
    <span className="muted">{task.attempt > 1 ? `attempt ${task.attempt}` : ''}</span>
    <span className="task-took">
      <Duration {...timesOf(task, spans)} />
    </span>
  </button>
)
