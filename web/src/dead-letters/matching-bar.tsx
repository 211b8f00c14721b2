import { useState } from 'react'
import type { DeadLetter } from '../api/types'
import { useApi, useMay } from '../api/use-api'
import { Button } from '../ui/button'
import { Confirm } from '../ui/dialog'
import { formatCount, plural } from '../ui/format'
import type { DeadLetterFilters } from './dead-letter-queries'
import { retryAllThatMatch } from './retry-all'
import { type RetryResult, resultOf } from './retry-outcomes'
import { useDeadLetterAction } from './use-dead-letter-action'

interface MatchingBarProps {
  filters: DeadLetterFilters
  /** What is on screen, newest first. */
  loaded: readonly DeadLetter[]
  more: boolean
  onRetried: (result: RetryResult) => void
}

/** How many match, as far as is known, and what can be done to all of them. */
export function MatchingBar({ filters, loaded, more, onRetried }: MatchingBarProps) {
  const api = useApi()
  const may = useMay('operator')
  const [asking, setAsking] = useState(false)
  const { busy, during } = useDeadLetterAction()
  const [newest] = loaded
  if (!newest) return null
  const retry = during(async () => onRetried(resultOf(loaded, await retryAllThatMatch(api, filters, newest))))
  return (
    <div className="dead-letters-matching">
      <span className="muted">
        {more
          ? `${formatCount(loaded.length)}+ dead letters match: the groups count the ${formatCount(loaded.length)} that are loaded`
          : `${plural(loaded.length, 'dead letter')} in all`}
      </span>
      {filters.state === 'open' && (
        <Button
          small
          icon="retry"
          disabled={!may}
          title={may ? undefined : 'You need the role operator'}
          onClick={() => setAsking(true)}
        >
          Retry all that match
        </Button>
      )}
      {asking && (
        <Confirm
          title={more ? `Retry all that match, ${formatCount(loaded.length)} and more?` : `Retry all ${loaded.length}?`}
          action="Retry all"
          busy={busy}
          onConfirm={() => void retry().then(() => setAsking(false))}
          onClose={() => setAsking(false)}
        >
          <p>
            Every open dead letter that the filters match, also those that are not loaded: each task runs again with the
            input that it had, and its run goes on. What fails after this is not retried again.
          </p>
        </Confirm>
      )}
    </div>
  )
}
