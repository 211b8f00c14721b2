import { useQuery } from '@tanstack/react-query'
import { messageOf } from '../api/problem'
import { useApi } from '../api/use-api'
import { useAction } from '../shell/use-action'
import { Confirm } from '../ui/dialog'
import { plural } from '../ui/format'
import { type BulkAction, bulkCountQuery, type Choice, startBulk } from './bulk-queries'

interface BulkDialogProps {
  action: BulkAction
  choice: Choice
  onStarted: (id: string) => void
  onClose: () => void
}

const words: Record<BulkAction, { verb: string; text: string }> = {
  cancel: { verb: 'Cancel', text: 'Tasks that run are told to stop. They can be retried later.' },
  retry: { verb: 'Retry', text: 'Failed tasks run again in the same runs.' },
  delete: {
    verb: 'Delete',
    text: 'Their tasks, logs and artifacts are deleted with them. This cannot be taken back.',
  },
}

/** Names the number before anything happens: counted by the API where not all of the runs are on screen. */
export function BulkDialog({ action, choice, onStarted, onClose }: BulkDialogProps) {
  const api = useApi()
  const filters = 'filters' in choice ? choice.filters : undefined
  const counted = useQuery({ ...bulkCountQuery(api, action, filters ?? {}), enabled: filters !== undefined })
  const { matched, more } = 'ids' in choice ? { matched: choice.ids.length, more: false } : (counted.data ?? {})
  const start = useAction<void, string>({
    run: (by) => startBulk(by, action, choice),
    touches: ['live'],
    onDone: onStarted,
  })
  const { verb, text } = words[action]
  return (
    <Confirm
      title={matched === undefined ? `${verb} all runs that match?` : `${verb} ${plural(matched, 'run')}?`}
      action={`${verb} them`}
      danger={action !== 'retry'}
      busy={start.isPending || (filters !== undefined && counted.isPending)}
      disabled={!matched}
      onConfirm={() => start.mutate()}
      onClose={onClose}
    >
      {counted.isError && <p className="banner banner-danger">{messageOf(counted.error)}</p>}
      {filters !== undefined && counted.isPending && <p className="muted">Counting…</p>}
      <p>{text}</p>
      {more && <p>More than these match: one job takes on no more. Ask again when it is done.</p>}
    </Confirm>
  )
}
