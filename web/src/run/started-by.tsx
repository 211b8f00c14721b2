import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { RunSummary } from '../api/types'
import { meQuery, useApi } from '../api/use-api'
import { CopyId } from '../ui/copy'
import { shortId } from '../ui/format'

/** Who or what started a run, as a person would say it. */
export function StartedBy({ by }: { by: NonNullable<RunSummary['startedBy']> }) {
  const { project } = useApi()
  const { data } = useQuery(meQuery)
  const kind = by.type.replace('_', ' ')
  if (by.type === 'user' && by.id === data?.user?.id) return <>you</>
  if (by.type === 'schedule') {
    return (
      <Link to="/p/$project/schedules/$scheduleId" params={{ project, scheduleId: by.id }}>
        {by.name ?? `schedule ${shortId(by.id)}`}
      </Link>
    )
  }
  return (
    <>
      {by.name ?? <CopyId id={by.id} />} <span className="muted">({kind})</span>
    </>
  )
}
