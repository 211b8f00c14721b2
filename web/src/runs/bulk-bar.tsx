import { useState } from 'react'
import { hasRunEnded, type RunSummary } from '../api/types'
import { useMay } from '../api/use-api'
import { Button } from '../ui/button'
import { plural } from '../ui/format'
import { BulkDialog } from './bulk-dialog'
import type { BulkAction, Choice } from './bulk-queries'
import type { RunFilters } from './run-filters'

interface BulkBarProps {
  runs: readonly RunSummary[]
  filters: RunFilters
  /** All that are shown are selected, and there are more. */
  moreMatch: boolean
  onStarted: (jobId: string) => void
  onDone: () => void
}

const fits: Record<BulkAction, (run: RunSummary) => boolean> = {
  cancel: ({ status }) => !hasRunEnded(status) && status !== 'cancelling',
  retry: ({ status }) => status === 'failed' || status === 'cancelled',
  delete: ({ status }) => hasRunEnded(status),
}

export function BulkBar({ runs, filters, moreMatch, onStarted, onDone }: BulkBarProps) {
  const [everything, setEverything] = useState(false)
  const [asking, setAsking] = useState<BulkAction>()
  const all = everything && moreMatch
  const clear = () => {
    setEverything(false)
    onDone()
  }
  const choiceOf = (action: BulkAction): Choice =>
    all ? { filters } : { ids: runs.filter(fits[action]).map(({ id }) => id) }
  return (
    <>
      {runs.length > 0 && (
        <section className="banner runs-bulk" aria-label="Selected runs">
          <strong>{all ? 'All runs that match' : `${plural(runs.length, 'run')} selected`}</strong>
          <Actions runs={all ? undefined : runs} onAsk={setAsking} />
          {moreMatch && !all && (
            <Button small look="quiet" onClick={() => setEverything(true)}>
              Select all that match
            </Button>
          )}
          <Button small look="quiet" onClick={clear}>
            Clear selection
          </Button>
        </section>
      )}
      {asking && (
        <BulkDialog
          action={asking}
          choice={choiceOf(asking)}
          onClose={() => setAsking(undefined)}
          onStarted={(id) => {
            setAsking(undefined)
            onStarted(id)
            clear()
          }}
        />
      )}
    </>
  )
}

/** Without runs: all that match, whose number is asked for before it is confirmed. */
function Actions({ runs, onAsk }: { runs: readonly RunSummary[] | undefined; onAsk: (action: BulkAction) => void }) {
  const mayRun = useMay('operator')
  const mayDelete = useMay('editor')
  if (!mayRun) return <span className="muted">You need the role operator to change runs.</span>
  const count = (action: BulkAction) => runs?.filter(fits[action]).length
  const common = (action: BulkAction) => ({ small: true, disabled: count(action) === 0, onClick: () => onAsk(action) })
  return (
    <>
      <Button {...common('cancel')}>Cancel {count('cancel') ?? '…'}</Button>
      <Button {...common('retry')}>Retry {count('retry') ?? '…'}</Button>
      {mayDelete && (
        <Button look="danger" {...common('delete')}>
          Delete {count('delete') ?? '…'}
        </Button>
      )}
    </>
  )
}
