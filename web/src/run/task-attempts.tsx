import { useQuery } from '@tanstack/react-query'
import { read } from '../api/client'
import type { Task } from '../api/types'
import { useApi } from '../api/use-api'
import { ErrorNotice } from '../shell/error-notice'
import { CopyId } from '../ui/copy'
import { formatDuration } from '../ui/format'
import { Status } from '../ui/status'
import { Time } from '../ui/time'

export function TaskAttempts({ task }: { task: Task }) {
  const api = useApi()
  const id = task.jobId ?? ''
  const job = useQuery({
    // With the attempt and status in the key: a change on the stream reads the attempts anew.
    queryKey: [api.project, 'job', id, task.attempt, task.status],
    queryFn: () => read(api.client.GET('/api/v1/jobs/{id}', { params: { path: { id } } })),
    enabled: id !== '',
    placeholderData: (old) => old,
    retry: 3,
    retryDelay: 700,
  })
  if (id === '') return <p className="muted drawer-pad">There was no attempt yet.</p>
  if (job.isError) return <ErrorNotice error={job.error} onRetry={() => void job.refetch()} />
  return (
    <ol className="attempts">
      {(job.data?.attempts ?? []).toReversed().map((attempt) => (
        <li key={`${attempt.attempt}-${attempt.startedAt}`} className="attempt">
          <div className="drawer-line">
            <strong>Attempt {attempt.attempt}</strong>
            <Status status={attempt.status === 'handed_back' ? 'delayed' : (attempt.status ?? 'pending')} />
            <Time at={attempt.startedAt} />
          </div>
          <dl className="facts">
            <dt>Worker</dt>
            <dd>{attempt.workerId ? <CopyId id={attempt.workerId} whole /> : '–'}</dd>
            <dt>Waited</dt>
            <dd>{attempt.queueWaitMs == null ? '–' : formatDuration(attempt.queueWaitMs)}</dd>
            <dt>Took</dt>
            <dd>{attempt.durationMs == null ? '–' : formatDuration(attempt.durationMs)}</dd>
          </dl>
          {attempt.error && (
            <div className="banner banner-danger">
              <strong>{attempt.error.class}</strong>
              <span className="run-error">{attempt.error.message}</span>
            </div>
          )}
        </li>
      ))}
    </ol>
  )
}
