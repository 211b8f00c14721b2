import { useState } from 'react'
import { type Api, read } from '../api/client'
import { queryClient } from '../api/query-client'
import { runAll } from '../api/run-all'
import { hasRunEnded, type RunSummary } from '../api/types'
import { useApi, useMay } from '../api/use-api'
import { Button } from '../ui/button'
import { Confirm } from '../ui/dialog'
import { plural } from '../ui/format'
import { toast } from '../ui/toast'

type BulkAction = 'cancel' | 'retry'

function changeRun(api: Api, action: BulkAction, { id }: RunSummary): Promise<unknown> {
  const params = { path: { id } }
  return action === 'cancel'
    ? read(api.client.POST('/api/v1/runs/{id}/cancel', { params }))
    : read(api.client.POST('/api/v1/runs/{id}/retry', { params }))
}

export function BulkBar({ runs, onDone }: { runs: readonly RunSummary[]; onDone: () => void }) {
  const api = useApi()
  const may = useMay('operator')
  const [asking, setAsking] = useState<BulkAction>()
  const [busy, setBusy] = useState(false)
  if (runs.length === 0) return null
  const fitting = {
    cancel: runs.filter(({ status }) => !hasRunEnded(status)),
    retry: runs.filter(({ status }) => status === 'failed' || status === 'cancelled'),
  }
  const act = async (action: BulkAction) => {
    setBusy(true)
    const faults = await runAll(fitting[action], (run) => changeRun(api, action, run))
    setBusy(false)
    setAsking(undefined)
    const done = fitting[action].length - faults.length
    toast(
      faults.length > 0 ? 'bad' : 'good',
      `${plural(done, 'run')} ${action === 'cancel' ? 'cancelled' : 'retried'}`,
      {
        ...(faults[0] ? { detail: `${plural(faults.length, 'run')} refused: ${faults[0]}` } : {}),
      },
    )
    void queryClient.invalidateQueries({ queryKey: [api.project, 'live'] })
    onDone()
  }
  return (
    <section className="banner runs-bulk" aria-label="Selected runs">
      <strong>{plural(runs.length, 'run')} selected</strong>
      <Button small look="danger" disabled={!may || fitting.cancel.length === 0} onClick={() => setAsking('cancel')}>
        Cancel {fitting.cancel.length}
      </Button>
      <Button small disabled={!may || fitting.retry.length === 0} onClick={() => setAsking('retry')}>
        Retry {fitting.retry.length}
      </Button>
      <Button small look="quiet" onClick={onDone}>
        Clear selection
      </Button>
      {!may && <span className="muted">You need the role operator to change runs.</span>}
      {asking && (
        <Confirm
          title={`${asking === 'cancel' ? 'Cancel' : 'Retry'} ${plural(fitting[asking].length, 'run')}?`}
          action={asking === 'cancel' ? 'Cancel them' : 'Retry them'}
          danger={asking === 'cancel'}
          busy={busy}
          onConfirm={() => void act(asking)}
          onClose={() => setAsking(undefined)}
        >
          <p>
            {asking === 'cancel'
              ? 'Tasks that run are told to stop. Runs that have ended are left out.'
              : 'Failed tasks run again in the same runs. Runs that did not fail are left out.'}
          </p>
        </Confirm>
      )}
    </section>
  )
}
