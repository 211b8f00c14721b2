import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { DeadLetter } from '../api/types'
import { useApi } from '../api/use-api'
import { ErrorNotice } from '../shell/error-notice'
import { PageHead } from '../shell/page-head'
import { CopyId } from '../ui/copy'
import { Json } from '../ui/json'
import { SkeletonRows } from '../ui/states'
import { Status } from '../ui/status'
import { Time } from '../ui/time'
import { DeadLetterAttempts } from './dead-letter-attempts'
import { deadLetterQuery } from './dead-letter-queries'
import { RetryForm } from './retry-form'
import { RunState } from './run-state'
import './dead-letters.css'

export function DeadLetterPage() {
  const { deadLetterId } = useParams({ strict: false }) as { deadLetterId: string }
  const api = useApi()
  const deadLetter = useQuery(deadLetterQuery(api, deadLetterId))
  if (deadLetter.isPending) return <SkeletonRows rows={8} columns={2} />
  if (!deadLetter.data) return <ErrorNotice error={deadLetter.error} onRetry={() => void deadLetter.refetch()} />
  return <DeadLetterView key={deadLetterId} deadLetter={deadLetter.data} />
}

function DeadLetterView({ deadLetter }: { deadLetter: DeadLetter }) {
  const { project } = useApi()
  const { id, workflow, taskKey, index, error, state, at, input } = deadLetter
  return (
    <>
      <PageHead
        title={`${workflow} · ${index === undefined ? taskKey : `${taskKey}[${index}]`}`}
        above={
          <Link to="/p/$project/dead-letters" params={{ project }}>
            Dead letters
          </Link>
        }
        beside={
          <>
            <Status status={state} />
            <CopyId id={id} />
            <span className="muted">
              failed <Time at={at} />
            </span>
          </>
        }
      >
        {error && (
          <div className="banner banner-danger">
            <strong>{error.class}</strong>
            <span className="dead-letter-error">{error.message}</span>
          </div>
        )}
        <WhereItWent deadLetter={deadLetter} />
      </PageHead>
      <div className="page-body dead-letter-parts">
        <section className="card" aria-label="Input">
          <div className="card-head">
            <h2>Input</h2>
            {state === 'open' && <span className="muted">mend it here, then retry</span>}
          </div>
          <div className="card-body">
            {/* Stays while a retry is on its way, so that a refusal finds the edit as it was typed. */}
            <div hidden={state !== 'open'}>
              <RetryForm deadLetter={deadLetter} />
            </div>
            {state !== 'open' && <Json label="Input" value={input} />}
          </div>
        </section>
        <DeadLetterAttempts deadLetter={deadLetter} />
      </div>
    </>
  )
}

/** Before the retry: the run that stands still. After it: the same run, which goes on. */
function WhereItWent({ deadLetter: { state, runId, workflow, taskKey } }: { deadLetter: DeadLetter }) {
  const text = {
    open: 'In the run',
    retried: 'Retried: the task runs again in',
    deleted: 'Deleted. It came from the run',
  }[state]
  return (
    <div className={state === 'retried' ? 'banner' : 'dead-letter-run'} role={state === 'open' ? undefined : 'status'}>
      {text} <RunState runId={runId} workflow={workflow} taskKey={taskKey} />
    </div>
  )
}
