import { read } from '../api/client'
import { useMay } from '../api/use-api'
import { mapItems } from '../shell/paged-list'
import { useAction } from '../shell/use-action'
import { Button } from '../ui/button'
import { formatCount, formatDuration, plural } from '../ui/format'
import { Status } from '../ui/status'
import { Table } from '../ui/table'
import { limitsInWords } from './limits-in-words'
import { type Queue, queuesKey } from './worker-queries'

export function QueueTable({ queues, onEdit }: { queues: readonly Queue[]; onEdit: (name: string) => void }) {
  return (
    <Table
      columns={[
        ['Queue', 'grow'],
        'State',
        ['Waiting', 'number'],
        ['Oldest', 'number'],
        ['Running', 'number'],
        'Limits',
        ['Weight', 'number'],
        ['Workers', 'number'],
        ['Actions', 'hidden'],
      ]}
    >
      {queues.map((queue) => (
        <QueueRow key={queue.name} queue={queue} onEdit={() => onEdit(queue.name)} />
      ))}
    </Table>
  )
}

function usePause({ name }: Queue) {
  return useAction<boolean>({
    run: (api, paused) => {
      const params = { path: { name } }
      return paused
        ? read(api.client.POST('/api/v1/queues/{name}/pause', { params }))
        : read(api.client.POST('/api/v1/queues/{name}/resume', { params }))
    },
    done: (_, paused) =>
      paused ? `No task of ${name} is handed out; what runs goes on` : `Tasks of ${name} are handed out again`,
    touches: queuesKey,
    optimistic: {
      queryKey: queuesKey,
      update: (old: Parameters<typeof mapItems<Queue>>[0], paused) =>
        mapItems(old, (queue) => (queue.name === name ? { ...queue, paused } : queue)),
    },
  })
}

function QueueRow({ queue, onEdit }: { queue: Queue; onEdit: () => void }) {
  const mayPause = useMay('operator')
  const mayEdit = useMay('editor')
  const pause = usePause(queue)
  return (
    <tr>
      <td className="grow" title={queue.name}>
        {queue.name} {queue.profile && <span className="tag">{queue.profile}</span>}
      </td>
      <td>
        <Status status={queue.paused ? 'paused' : 'active'} />
      </td>
      <td
        className="number"
        title={queue.parked > 0 ? `${formatCount(queue.parked)} of them wait for a limit` : undefined}
      >
        {formatCount(queue.depth)}
        {queue.parked > 0 && <span className="muted"> ({formatCount(queue.parked)} limited)</span>}
      </td>
      <td className="number">{queue.depth === 0 ? '–' : formatDuration(queue.oldestAgeMs)}</td>
      <td className="number">{formatCount(queue.running)}</td>
      <td>{limitsInWords(queue)}</td>
      <td className="number">{queue.weight ?? '–'}</td>
      <td className="number" title={plural(queue.workers.length, 'worker')}>
        {queue.workers.length}
      </td>
      <td className="actions">
        <Button
          small
          icon={queue.paused ? 'play' : 'pause'}
          disabled={!mayPause || pause.isPending}
          title={mayPause ? undefined : 'You need the role operator'}
          onClick={() => pause.mutate(!queue.paused)}
        >
          {queue.paused ? 'Resume' : 'Pause'}
        </Button>
        <Button
          small
          disabled={!mayEdit}
          title={mayEdit ? undefined : 'You need the role editor'}
          aria-label={`Settings of ${queue.name}`}
          onClick={onEdit}
        >
          Settings
        </Button>
      </td>
    </tr>
  )
}
