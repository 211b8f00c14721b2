import type { DeadLetter } from '../api/types'
import { CopyId } from '../ui/copy'
import { Status } from '../ui/status'
import { Time } from '../ui/time'

export function DeadLetterAttempts({ deadLetter: { attempts } }: { deadLetter: DeadLetter }) {
  return (
    <section className="card" aria-label="Attempts">
      <div className="card-head">
        <h2>Attempts</h2>
        <span className="muted">the last first</span>
      </div>
      {attempts.length === 0 && <p className="card-body muted">The task failed before its first attempt.</p>}
      <ol className="dead-letter-attempts">
        {attempts.toReversed().map(({ attempt, at, workerId, error }) => (
          <li key={`${attempt} ${at}`}>
            <div className="dead-letter-run">
              <strong>Attempt {attempt}</strong>
              <Status status={error ? 'failed' : 'succeeded'} />
              <Time at={at} />
              {workerId && (
                <span>
                  <span className="muted">worker</span> <CopyId id={workerId} />
                </span>
              )}
            </div>
            {error && (
              <p className="dead-letter-error">
                <strong>{error.class}</strong> {error.message}
              </p>
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}
