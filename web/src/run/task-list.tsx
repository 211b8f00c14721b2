import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef } from 'react'
import type { Task } from '../api/types'
import { Status } from '../ui/status'
import { Duration } from '../ui/time'
import { carriedItems } from './map-items'

interface TaskListProps {
  tasks: readonly Task[]
  selectedKey: string | undefined
  selectedIndex: number | undefined
  onSelect: (key: string, index?: number) => void
}

const rowPx = 34

export function TaskList({ tasks, selectedKey, selectedIndex, onSelect }: TaskListProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({
    count: tasks.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: 12,
  })
  return (
    <div className="task-list" ref={scroller}>
      <ul className="task-rows" aria-label="Tasks" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start }) => {
          const task = tasks[index]
          if (!task) return null
          const chosen = task.key === selectedKey && task.index === selectedIndex
          return (
            <li key={index} className="task-place" style={{ transform: `translateY(${start}px)` }}>
              <button
                type="button"
                className="task-row"
                aria-current={chosen}
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
                  <Duration from={task.startedAt} to={task.finishedAt} />
                </span>
              </button>
            </li>
          )
        })}
      </ul>
      {tasks.some(({ index }) => index === carriedItems - 1) && (
        <p className="muted drawer-pad">Of each map the first {carriedItems} items. All are in its grid.</p>
      )}
    </div>
  )
}
