import { useState } from 'react'
import { runAll } from '../api/run-all'
import type { DeadLetter } from '../api/types'
import { useApi, useMay } from '../api/use-api'
import { Button } from '../ui/button'
import { Confirm } from '../ui/dialog'
import { plural } from '../ui/format'
import { toast } from '../ui/toast'
import { deleteDeadLetter, retryDeadLetters } from './dead-letter-queries'
import { type RetryResult, resultOf } from './retry-outcomes'
import { useDeadLetterAction } from './use-dead-letter-action'

interface DeadLettersBarProps {
  chosen: readonly DeadLetter[]
  onClear: () => void
  onRetried: (result: RetryResult) => void
}

/** What can be done to those that are chosen. */
export function DeadLettersBar({ chosen, onClear, onRetried }: DeadLettersBarProps) {
  const may = useMay('operator')
  const [asking, setAsking] = useState<'retry' | 'delete'>()
  const { busy, retry, remove } = useDeadLetterActions(chosen, onRetried)
  if (chosen.length === 0) return null
  const finish = async (action: () => Promise<boolean>) => {
    const done = await action()
    setAsking(undefined)
    if (done) onClear()
  }
  return (
    <section className="banner dead-letters-bar" aria-label="Chosen dead letters">
      <strong>{plural(chosen.length, 'dead letter')} chosen</strong>
      <Button small icon="retry" disabled={!may} onClick={() => setAsking('retry')}>
        Retry {chosen.length}
      </Button>
      <Button small look="danger" disabled={!may} onClick={() => setAsking('delete')}>
        Delete {chosen.length}
      </Button>
      <Button small look="quiet" onClick={onClear}>
        Clear selection
      </Button>
      {!may && <span className="muted">You need the role operator to retry or delete.</span>}
      {asking === 'retry' && (
        <Confirm
          title={`Retry ${plural(chosen.length, 'dead letter')}?`}
          action="Retry them"
          busy={busy}
          onConfirm={() => void finish(retry)}
          onClose={() => setAsking(undefined)}
        >
          <p>Each task runs again with the input that it had, and its run goes on. Attempts keep counting.</p>
        </Confirm>
      )}
      {asking === 'delete' && (
        <Confirm
          title={`Delete ${plural(chosen.length, 'dead letter')}?`}
          action="Delete them"
          danger
          busy={busy}
          onConfirm={() => void finish(remove)}
          onClose={() => setAsking(undefined)}
        >
          <p>They cannot be retried afterwards. Their runs stay as they are, and can be rerun.</p>
        </Confirm>
      )}
    </section>
  )
}

function useDeadLetterActions(chosen: readonly DeadLetter[], onRetried: (result: RetryResult) => void) {
  const api = useApi()
  const { busy, during } = useDeadLetterAction()
  const retry = during(async () => {
    const ids = chosen.map(({ id }) => id)
    onRetried(resultOf(chosen, await retryDeadLetters(api, ids)))
  })
  const remove = during(async () => {
    const faults = await runAll(chosen, ({ id }) => deleteDeadLetter(api, id))
    const detail = faults[0] ? { detail: `${faults.length} refused: ${faults[0]}` } : {}
    toast(faults[0] ? 'bad' : 'good', `${plural(chosen.length - faults.length, 'dead letter')} deleted`, detail)
  })
  return { busy, retry, remove }
}
