import { useQuery } from '@tanstack/react-query'
import { read } from '../api/client'
import { meQuery, useMay } from '../api/use-api'
import { mapItems } from '../shell/paged-list'
import { useAction } from '../shell/use-action'
import { Button } from '../ui/button'
import { ConfirmButton } from '../ui/confirm-button'
import { CopyId } from '../ui/copy'
import { Status } from '../ui/status'
import { Table } from '../ui/table'
import { Time } from '../ui/time'
import { useListCursor } from '../ui/use-list-cursor'
import { Slots } from './slots'
import { type Worker, workersKey } from './worker-queries'

interface WorkerTableProps {
  workers: readonly Worker[]
  chosen: string | undefined
  onChoose: (id: string) => void
}

export function WorkerTable({ workers, chosen, onChoose }: WorkerTableProps) {
  const choose = (index: number) => {
    const id = workers[index]?.id
    if (id) onChoose(id)
  }
  const at = useListCursor({ count: workers.length, onOpen: choose })
  return (
    <Table
      columns={[
        ['Worker', 'grow'],
        'Id',
        'State',
        'Slots used',
        'Queues',
        'Version',
        ['Seen', 'number'],
        ['Actions', 'hidden'],
      ]}
    >
      {workers.map((worker, index) => (
        <tr key={worker.id} data-row={index} data-active={index === at} aria-selected={worker.id === chosen}>
          <WorkerCells worker={worker} chosen={worker.id === chosen} onChoose={() => onChoose(worker.id)} />
        </tr>
      ))}
    </Table>
  )
}

function WorkerCells({ worker, chosen, onChoose }: { worker: Worker; chosen: boolean; onChoose: () => void }) {
  const executors = worker.executors.join(', ')
  return (
    <>
      <td className="grow">
        <button
          type="button"
          className="workers-name"
          aria-expanded={chosen}
          title={`Executes ${executors}`}
          onClick={onChoose}
        >
          {worker.name}
        </button>{' '}
        {worker.shared && <span className="tag">shared</span>}
      </td>
      <td>
        <CopyId id={worker.id} />
      </td>
      <td>
        <Status status={worker.state} />
      </td>
      <td>
        <Slots used={worker.running} of={worker.concurrency} />
      </td>
      <td className="workers-queues" title={worker.queues.join(', ')}>
        {worker.queues.includes('*') ? 'every queue' : worker.queues.join(', ')}
      </td>
      <td>{[worker.sdk, worker.version].filter(Boolean).join(' ') || '–'}</td>
      <td className="number">
        <Time at={worker.lastSeenAt} />
      </td>
      <td className="actions">
        <WorkerActions worker={worker} />
      </td>
    </>
  )
}

type Command = 'pause' | 'resume' | 'drain'

const shownState: Record<Command, Worker['state']> = { pause: 'paused', resume: 'active', drain: 'draining' }
const done: Record<Command, string> = {
  pause: 'gets no new tasks; what it runs goes on',
  resume: 'gets tasks again',
  drain: 'finishes what it runs, then ends',
}

function useCommand({ id, name }: Worker) {
  return useAction<Command, Worker>({
    run: (api, command) => {
      const params = { path: { id } }
      if (command === 'pause') return read(api.client.POST('/api/v1/workers/{id}/pause', { params }))
      if (command === 'resume') return read(api.client.POST('/api/v1/workers/{id}/resume', { params }))
      return read(api.client.POST('/api/v1/workers/{id}/drain', { params }))
    },
    done: (_, command) => `${name} ${done[command]}`,
    touches: workersKey,
    optimistic: {
      queryKey: workersKey,
      update: (old: Parameters<typeof mapItems<Worker>>[0], command) =>
        mapItems(old, (worker) => (worker.id === id ? { ...worker, state: shownState[command] } : worker)),
    },
  })
}

function WorkerActions({ worker }: { worker: Worker }) {
  const operator = useMay('operator')
  const { data: me } = useQuery(meQuery)
  const command = useCommand(worker)
  const may = worker.shared ? me?.user.admin === true : operator
  const needed = worker.shared ? 'Shared workers are the platform’s administrator’s' : 'You need the role operator'
  const common = { small: true, disabled: !may || command.isPending, title: may ? undefined : needed }
  if (worker.state === 'lost' || worker.state === 'draining') return null
  return (
    <>
      {worker.state === 'paused' ? (
        <Button icon="play" {...common} onClick={() => command.mutate('resume')}>
          Resume
        </Button>
      ) : (
        <Button icon="pause" {...common} onClick={() => command.mutate('pause')}>
          Pause
        </Button>
      )}
      <ConfirmButton
        title={`Drain ${worker.name}?`}
        text="It gets no new tasks and ends once what it runs has ended or was handed back. It does not come back by itself."
        action="Drain"
        disabled={common.disabled}
        why={common.title}
        onConfirm={() => command.mutate('drain')}
      />
    </>
  )
}
