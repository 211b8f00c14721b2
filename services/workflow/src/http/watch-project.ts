import type { RouteHandler } from '@millrace/http'
import type { AppContext } from '../context.js'
import { parseLabelFilter } from '../domain/labels.js'
import type { Change, ProjectLog } from '../live/project-log.js'
import { streamMetrics } from '../telemetry.js'
import { type EventWriter, openEventStream } from './event-stream.js'

interface EventsQuery {
  types?: string[]
  workflow?: string
  status?: string[]
  label?: string
}

type Filter = (change: Change) => boolean

const pageSize = 100
/** A reader whose filter lets nothing through is still told how far it is, so that it can resume from there. */
const passedEvery = 1_000

/** Every change of the project's runs and tasks, from now on or from where the reader was. */
export function watchProject(ctx: AppContext): RouteHandler {
  return async (req) => {
    const filter = filterOf(req.query as unknown as EventsQuery)
    const from = req.headers['last-event-id']
    const { log, leave } = await ctx.feed.join(req.identity.projectId)
    // With the answer, not with the stream: HEAD has none.
    if (req.signal.aborted) leave()
    else req.signal.addEventListener('abort', leave, { once: true })
    return {
      async stream(res) {
        const writer = openEventStream(res)
        streamMetrics.open.inc()
        try {
          await follow(log, typeof from === 'string' && from !== '' ? from : undefined, filter, writer, req.signal)
        } finally {
          streamMetrics.open.dec()
          writer.close()
        }
      },
    }
  }
}

function filterOf(query: EventsQuery): Filter {
  const { types, status, workflow } = query
  const labels = Object.entries(parseLabelFilter(query.label))
  return (change) =>
    (types === undefined || types.includes(change.kind)) &&
    (status === undefined || status.includes(change.status)) &&
    (workflow === undefined || workflow === change.workflow) &&
    labels.every(([name, value]) => change.labels[name] === value)
}

async function follow(
  log: ProjectLog,
  from: string | undefined,
  filter: Filter,
  writer: EventWriter,
  signal: AbortSignal,
): Promise<void> {
  let place = from ?? log.end
  let unsent = 0
  if (from === undefined) writer.passed(place)
  while (!signal.aborted) {
    const changes = log.after(place, pageSize)
    if (changes === undefined) {
      place = log.end
      await writer.send('reset', place, '{}', signal)
      continue
    }
    for (const change of changes) {
      if (signal.aborted) return
      place = log.nameOf(change.seq)
      if (filter(change)) {
        await writer.send(change.kind, place, change.data, signal)
        unsent = 0
      } else if (++unsent % passedEvery === 0) writer.passed(place)
    }
    if (changes.length === 0) await log.changed(signal)
  }
}
