import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useApi } from '../api/use-api'
import { ErrorNotice } from '../shell/error-notice'
import { Button } from '../ui/button'
import { formatCount, plural } from '../ui/format'
import { bulkJobQuery } from './bulk-queries'

const doing = { cancel: 'Cancelling', retry: 'Retrying', delete: 'Deleting' } as const
const did = { cancel: 'cancelled', retry: 'retried', delete: 'deleted' } as const

/** A bulk job goes on by itself; this says how far it is, and what it could not do. */
export function BulkProgress({ id, onClose }: { id: string; onClose: () => void }) {
  const api = useApi()
  const client = useQueryClient()
  const job = useQuery(bulkJobQuery(api, id))
  const isDone = job.data?.status === 'done'
  useEffect(() => {
    if (isDone) void client.invalidateQueries({ queryKey: [api.project, 'live'] })
  }, [isDone, client, api])
  if (job.isError) return <ErrorNotice error={job.error} onRetry={() => void job.refetch()} />
  if (!job.data) return null
  const { action, matched, done, skipped, failed, errors } = job.data
  return (
    <section className={`banner runs-bulk${failed > 0 ? ' banner-danger' : ''}`} aria-label="Bulk job" role="status">
      <strong>{isDone ? `${plural(done, 'run')} ${did[action]}` : `${doing[action]} ${plural(matched, 'run')}`}</strong>
      {!isDone && <progress className="bulk-bar" value={done + skipped + failed} max={matched} />}
      {!isDone && <span className="muted">{formatCount(done + skipped + failed)} so far</span>}
      {skipped > 0 && <span className="muted">{formatCount(skipped)} left out: no longer in a fitting state</span>}
      {failed > 0 && (
        <span>
          {formatCount(failed)} refused: {errors?.[0]?.message}
        </span>
      )}
      <Button small look="quiet" onClick={onClose}>
        {isDone ? 'Close' : 'Hide'}
      </Button>
    </section>
  )
}
