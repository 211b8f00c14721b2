import { useMemo } from 'react'
import { hasRunEnded, type Run } from '../api/types'
import type { ItemCounts } from '../graph/graph-model'
import { formatDuration, plural } from '../ui/format'
import { StatusIcon, toneOf } from '../ui/status'
import { useNow } from '../ui/time'
import { type Bar, buildTimeline, ticksOf } from './timeline-model'

interface TimelineProps {
  run: Run
  needs: readonly { from: string; to: string }[]
  items: ReadonlyMap<string, ItemCounts>
  selected: string | undefined
  onSelect: (key: string) => void
}

const percent = (fraction: number) => `${fraction * 100}%`

export function Timeline({ run, needs, items, selected, onSelect }: TimelineProps) {
  const now = useNow()
  const end = run.finishedAt && hasRunEnded(run.status) ? Date.parse(run.finishedAt) : now
  const model = useMemo(
    () => buildTimeline(run.tasks, run.createdAt, end, needs),
    [run.tasks, run.createdAt, end, needs],
  )
  return (
    <div className="timeline">
      <div className="timeline-axis" aria-hidden="true">
        {ticksOf(model.spanMs).map((tick) => (
          <span key={tick} className="timeline-tick" style={{ left: percent(tick / model.spanMs) }}>
            {formatDuration(tick)}
          </span>
        ))}
      </div>
      <ul className="timeline-bars">
        {model.bars.map((bar) => (
          <li key={bar.key}>
            <button
              type="button"
              className="timeline-row"
              aria-current={bar.key === selected}
              onClick={() => onSelect(bar.key)}
            >
              <span className="timeline-key">
                <StatusIcon status={bar.status} />
                <span title={bar.key}>{bar.key}</span>
              </span>
              <BarView bar={bar} items={countOf(items.get(bar.key)) ?? bar.items} />
              <span className="visually-hidden">{bar.status}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}

const countOf = (counts: ItemCounts | undefined): number | undefined =>
  counts && Object.values(counts).reduce((sum, count) => sum + count, 0)

function BarView({ bar, items }: { bar: Bar; items: number }) {
  const took = bar.tookMs === undefined ? '' : formatDuration(bar.tookMs)
  const note = items > 0 ? `${took} · ${plural(items, 'item')}` : took
  const roomOnRight = bar.to < 0.85
  return (
    <span className="timeline-lane">
      <span
        className="timeline-wait"
        style={{ left: percent(bar.queuedFrom), width: percent(bar.from - bar.queuedFrom) }}
      />
      <span
        className={`timeline-bar bar-${toneOf(bar.status)}`}
        style={{ left: percent(bar.from), width: percent(bar.to - bar.from) }}
      />
      <span
        className="timeline-took"
        style={roomOnRight ? { left: percent(bar.to) } : { right: percent(1 - bar.queuedFrom) }}
      >
        {note}
      </span>
    </span>
  )
}
