import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRefetchInterval } from '../api/live'
import { useApi } from '../api/use-api'
import { ErrorNotice } from '../shell/error-notice'
import { Button } from '../ui/button'
import { SkeletonRows } from '../ui/states'
import { Table } from '../ui/table'
import { Duration, Time } from '../ui/time'
import { type RunningJob, runningJobsQuery, type Worker } from './worker-queries'

/** What one worker runs now. */
export function WorkerJobs({ worker, onClose }: { worker: Worker; onClose: () => void }) {
  const refetchInterval = useRefetchInterval()
  const jobs = useQuery({ ...runningJobsQuery(useApi(), worker.id), refetchInterval })
  return (
    <section className="card workers-jobs" aria-label={`What ${worker.name} runs`}>
      <div className="card-head">
        <h3>What {worker.name} runs</h3>
        <Button small look="quiet" icon="close" aria-label="Close" onClick={onClose} />
      </div>
      <dl className="facts card-body">
        <dt>Executes</dt>
        <dd>{worker.executors.join(', ')}</dd>
        <dt>Started</dt>
        <dd>
          <Time at={worker.startedAt} />
        </dd>
      </dl>
      {jobs.isPending && <SkeletonRows rows={2} columns={4} />}
      {jobs.isError && !jobs.data && <ErrorNotice error={jobs.error} onRetry={() => void jobs.refetch()} />}
      {jobs.data?.length === 0 && <p className="muted workers-idle">No task of this project at the moment.</p>}
      {jobs.data && jobs.data.length > 0 && <JobTable jobs={jobs.data} />}
    </section>
  )
}

function JobTable({ jobs }: { jobs: readonly RunningJob[] }) {
  const { project } = useApi()
  return (
    <Table columns={[['Task', 'grow'], 'Workflow', 'Uses', ['Attempt', 'number'], ['For', 'number']]}>
      {jobs.map((job) => (
        <tr key={job.id}>
          <td className="grow">
            <Link to="/p/$project/runs/$runId" params={{ project, runId: job.runId }} search={{ task: job.task }}>
              {job.task}
              {job.index == null ? '' : `[${job.index}]`}
            </Link>
          </td>
          <td>{job.workflow}</td>
          <td>
            <code>{job.uses}</code>
          </td>
          <td className="number">{job.attempt}</td>
          <td className="number">
            <Duration from={job.startedAt} to={null} />
          </td>
        </tr>
      ))}
    </Table>
  )
}
