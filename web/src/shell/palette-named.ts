import { useQuery } from '@tanstack/react-query'
import { type Api, apiFor, read } from '../api/client'
import type { IconName } from '../ui/icons'
import type { Entry, Open } from './palette-entries'

/** What rooms have a page or a place for, by the name that people know it by. */
export interface Named {
  kind: 'schedule' | 'subscription' | 'queue' | 'worker' | 'dead letter'
  id: string
  name: string
  path: string
}

const icons: Record<Named['kind'], IconName> = {
  schedule: 'schedules',
  subscription: 'notifications',
  queue: 'workers',
  worker: 'workers',
  'dead letter': 'dead-letters',
}

/** The most that is read of each kind. */
const limit = 100
/** The most of one kind that is offered. */
const mostShown = 5

const itemsOf = <T>(answer: PromiseSettledResult<{ items: T[] }>): T[] =>
  answer.status === 'fulfilled' ? answer.value.items : []

/** A kind that may not be read, or cannot be now, is left out. */
async function readNamed({ client }: Api): Promise<Named[]> {
  const query = { limit }
  const [schedules, subscriptions, queues, workers, deadLetters] = await Promise.allSettled([
    read(client.GET('/api/v1/schedules', { params: { query } })),
    read(client.GET('/api/v1/subscriptions', { params: { query } })),
    read(client.GET('/api/v1/queues', { params: { query } })),
    read(client.GET('/api/v1/workers', { params: { query } })),
    read(client.GET('/api/v1/dlq', { params: { query: { ...query, state: ['open'] } } })),
  ])
  return [
    ...itemsOf(schedules).map(({ id, name, workflow, cron, every }): Named => {
      return { kind: 'schedule', id, name: name ?? `${workflow} ${cron ?? every ?? ''}`, path: `schedules/${id}` }
    }),
    ...itemsOf(subscriptions).flatMap(({ id = '', channel }): Named[] => {
      if (!channel) return []
      const name = channel.type === 'email' ? channel.to.join(', ') : channel.url
      return [{ kind: 'subscription', id, name, path: `notifications/${id}` }]
    }),
    ...itemsOf(queues).map(({ name }): Named => {
      return { kind: 'queue', id: name, name, path: `workers?queue=${encodeURIComponent(name)}` }
    }),
    ...itemsOf(workers).map(({ id, name }): Named => {
      return { kind: 'worker', id, name: name ?? id, path: `workers?worker=${encodeURIComponent(id)}` }
    }),
    ...itemsOf(deadLetters).map(({ id, workflow, taskKey, error }): Named => {
      return {
        kind: 'dead letter',
        id,
        name: `${workflow} ${taskKey} ${error?.message ?? ''}`,
        path: `dead-letters/${id}`,
      }
    }),
  ]
}

/** Read once something is looked for. */
export function useNamed(project: string, text: string): readonly Named[] | undefined {
  return useQuery({
    queryKey: [project, 'palette-named'],
    queryFn: () => readNamed(apiFor(project)),
    enabled: text !== '',
    staleTime: 10_000,
  }).data
}

export function namedEntries(named: readonly Named[] | undefined, text: string, open: Open): Entry[] {
  const needle = text.toLowerCase()
  if (needle === '' || !named) return []
  const shown = new Map<Named['kind'], number>()
  return named.flatMap(({ kind, id, name, path }): Entry[] => {
    const before = shown.get(kind) ?? 0
    if (before >= mostShown || !`${name} ${kind}`.toLowerCase().includes(needle)) return []
    shown.set(kind, before + 1)
    return [{ id: `${kind}:${id}`, icon: icons[kind], label: name, hint: kind, run: open(path) }]
  })
}
