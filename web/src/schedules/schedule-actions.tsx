import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { read } from '../api/client'
import type { Schedule } from '../api/types'
import { useApi, useMay } from '../api/use-api'
import { useAction } from '../shell/use-action'
import { Button } from '../ui/button'
import { Confirm } from '../ui/dialog'
import { Menu, MenuItem } from '../ui/menu'
import { BackfillDialog } from './backfill-dialog'
import { titleOf } from './schedule-queries'

/** Pause and resume; shown at once, and taken back when refused. */
function usePause({ id }: Schedule) {
  return useAction<boolean>({
    run: (api, paused) =>
      read(api.client.PATCH('/api/v1/schedules/{id}', { params: { path: { id } }, body: { paused } })),
    done: (_, paused) =>
      paused ? 'The schedule starts no runs until it is resumed' : 'The schedule starts runs again',
    optimistic: {
      queryKey: ['schedule', id],
      update: (old: Schedule, paused): Schedule => ({ ...old, paused }),
    },
  })
}

function useRunNow({ id }: Schedule) {
  const { project } = useApi()
  const navigate = useNavigate()
  return useAction<void, { id: string }>({
    run: (api) => read(api.client.POST('/api/v1/schedules/{id}/run', { params: { path: { id } } })),
    done: 'Started',
    onDone: (run) => void navigate({ to: '/p/$project/runs/$runId', params: { project, runId: run.id } }),
  })
}

export function ScheduleActions({ schedule }: { schedule: Schedule }) {
  const { project } = useApi()
  const mayRun = useMay('operator')
  const mayEdit = useMay('editor')
  const { id, paused } = schedule
  const [open, setOpen] = useState<'backfill' | 'delete'>()
  const pause = usePause(schedule)
  const runNow = useRunNow(schedule)
  const needsEditor = mayEdit ? undefined : 'You need the role editor'
  return (
    <>
      <Button
        look="primary"
        icon="play"
        disabled={!mayRun}
        title={mayRun ? undefined : 'You need the role operator'}
        busy={runNow.isPending}
        onClick={() => runNow.mutate()}
      >
        Run now
      </Button>
      <Button
        icon={paused ? 'play' : 'pause'}
        disabled={!mayEdit || pause.isPending}
        title={needsEditor}
        onClick={() => pause.mutate(!paused)}
      >
        {paused ? 'Resume' : 'Pause'}
      </Button>
      <Button disabled={!mayEdit} title={needsEditor} onClick={() => setOpen('backfill')}>
        Backfill…
      </Button>
      {mayEdit && (
        <Link className="button" to="/p/$project/schedules/$scheduleId/edit" params={{ project, scheduleId: id }}>
          Edit
        </Link>
      )}
      <Menu align="end" trigger={<Button icon="more" aria-label="More actions" />}>
        <MenuItem danger disabled={!mayEdit} onSelect={() => setOpen('delete')}>
          Delete…
        </MenuItem>
      </Menu>
      {!mayEdit && <span className="muted">You need the role editor to change schedules.</span>}
      {open === 'backfill' && <BackfillDialog schedule={schedule} onClose={() => setOpen(undefined)} />}
      {open === 'delete' && <DeleteSchedule schedule={schedule} onClose={() => setOpen(undefined)} />}
    </>
  )
}

function DeleteSchedule({ schedule, onClose }: { schedule: Schedule; onClose: () => void }) {
  const { project } = useApi()
  const navigate = useNavigate()
  const remove = useAction({
    run: (api) => read(api.client.DELETE('/api/v1/schedules/{id}', { params: { path: { id: schedule.id } } })),
    done: 'The schedule was deleted; its runs stay',
    touches: ['live'],
    onDone: () => void navigate({ to: '/p/$project/schedules', params: { project } }),
  })
  return (
    <Confirm
      title={`Delete the schedule ${titleOf(schedule)}?`}
      action="Delete it"
      danger
      busy={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate()}
    >
      <p>It starts no further runs. The runs that it started stay.</p>
    </Confirm>
  )
}
