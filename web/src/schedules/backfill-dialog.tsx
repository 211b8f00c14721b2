import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../api/client'
import { messageOf } from '../api/problem'
import type { Body, Schedule } from '../api/types'
import { useApi } from '../api/use-api'
import { useAction } from '../shell/use-action'
import { Button } from '../ui/button'
import { Dialog } from '../ui/dialog'
import { TextField } from '../ui/field'
import { formatAbsolute, plural } from '../ui/format'
import { backfillRange, localInput } from './backfill-range'
import { viewerZone } from './next-ticks'
import { previewQuery } from './schedule-queries'

const dayMs = 86_400_000

/** Runs for past ticks, with a preview of how many before anything starts. */
export function BackfillDialog({ schedule, onClose }: { schedule: Schedule; onClose: () => void }) {
  const api = useApi()
  const [fromText, setFrom] = useState(() => localInput(Date.now() - dayMs))
  const [toText, setTo] = useState(() => localInput(Date.now()))
  const { range, fault } = backfillRange(fromText, toText)
  const preview = useQuery(previewQuery(api, schedule.id, range))
  const backfill = useAction<void, Body<'backfillSchedule'>>({
    run: (client) =>
      read(
        client.client.POST('/api/v1/schedules/{id}/backfill', {
          params: { path: { id: schedule.id } },
          body: range ?? { from: '', to: '' },
        }),
      ),
    done: ({ ticks }) =>
      ticks === 0 ? 'Every tick of the range has a run already' : `${plural(ticks, 'run')} on their way`,
    onDone: onClose,
  })
  const count = range && preview.data && !preview.isPlaceholderData ? preview.data.count : undefined
  return (
    <Dialog title="Backfill" onClose={onClose}>
      <p className="muted">
        Starts a run for each past tick from the first moment up to the second. Times are in {viewerZone}.
      </p>
      <TextField
        label="From"
        type="datetime-local"
        value={fromText}
        onChange={(event) => setFrom(event.target.value)}
      />
      <TextField
        label="To, not included"
        type="datetime-local"
        value={toText}
        error={fault}
        onChange={(event) => setTo(event.target.value)}
      />
      <div className="banner" role="status">
        <PreviewWords
          preview={count === undefined ? undefined : preview.data}
          error={range ? preview.error : null}
          zone={schedule.timezone}
        />
      </div>
      <div className="dialog-actions">
        <Button onClick={onClose}>Close</Button>
        <Button look="primary" busy={backfill.isPending} disabled={!count} onClick={() => backfill.mutate()}>
          {count ? `Start ${plural(count, 'run')}` : 'Start'}
        </Button>
      </div>
    </Dialog>
  )
}

interface PreviewWordsProps {
  preview: Body<'previewBackfill'> | undefined
  error: Error | null
  zone: string
}

function PreviewWords({ preview, error, zone }: PreviewWordsProps) {
  if (error) return messageOf(error)
  if (!preview) return 'Choose a range to see how many runs it makes.'
  const { count, first, last } = preview
  if (count === 0 || !first || !last) return 'The schedule has no past tick in this range.'
  return (
    <span>
      <strong>{plural(count, 'tick')}</strong>: {formatAbsolute(Date.parse(first), zone)}
      {count > 1 && ` to ${formatAbsolute(Date.parse(last), zone)}`} in {zone}. Ticks that have a run already get no
      second one.
    </span>
  )
}
