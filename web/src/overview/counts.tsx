import { Link } from '@tanstack/react-router'
import type { Body } from '../api/types'
import { useApi } from '../api/use-api'
import { formatCount } from '../ui/format'
import { StatusIcon } from '../ui/status'

/** Runs by status now; each leads to those runs. */
export function Counts({ items }: { items: Body<'countRuns'>['items'] | undefined }) {
  const { project } = useApi()
  if (!items) return <div className="counts counts-wait" aria-busy="true" />
  return (
    <ul className="counts" aria-label="Runs by status">
      {items.map(({ status, count }) => (
        <li key={status}>
          <Link className="count" to="/p/$project/runs" params={{ project }} search={{ status }}>
            <span className="count-number">{formatCount(count)}</span>
            <span className="status">
              <StatusIcon status={status} size={12} />
              {status}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}
