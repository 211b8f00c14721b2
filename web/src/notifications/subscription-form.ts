import type { operations } from '../api/gen/schema'
import type { Subscription } from './notification-queries'

export type SubscriptionBody = operations['createSubscription']['requestBody']['content']['application/json']
export type EventType = SubscriptionBody['events'][number]
export type EndStatus = NonNullable<NonNullable<SubscriptionBody['filter']>['status']>[number]
export type ChannelType = SubscriptionBody['channel']['type']

export const eventTypes: readonly [EventType, string][] = [
  ['workflow.started', 'a run started'],
  ['workflow.completed', 'a run ended'],
  ['workflow.failed', 'a run failed'],
  ['task.failed', 'a task failed'],
  ['task.dead-lettered', 'a task finally failed'],
  ['approval.requested', 'a run waits for an approval'],
  ['run.late', 'a run is late'],
  ['schedule.missed', 'a schedule was missed'],
  ['worker.lost', 'a worker was lost'],
  ['queue.backlog', 'a queue has a backlog'],
]
export const endStatuses: readonly EndStatus[] = ['succeeded', 'failed', 'cancelled']

/** A subscription as it is typed. Lists are text, one entry a line. */
export interface SubscriptionDraft {
  type: ChannelType
  url: string
  to: string
  headers: string
  events: readonly EventType[]
  workflow: string
  status: readonly EndStatus[]
  labels: string
  digest: string
}

export const emptyDraft: SubscriptionDraft = {
  type: 'webhook',
  url: '',
  to: '',
  headers: '',
  events: ['workflow.failed'],
  workflow: '',
  status: [],
  labels: '',
  digest: '',
}

const linesOf = (text: string): string[] =>
  text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter(Boolean)

/** `name: value` or `name=value`, one a line; undefined where a line is neither. */
export function pairsOf(text: string, separator: ':' | '='): Record<string, string> | undefined {
  const pairs: Record<string, string> = {}
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue
    const at = line.indexOf(separator)
    const name = line.slice(0, at).trim()
    if (at < 1 || name === '') return undefined
    pairs[name] = line.slice(at + 1).trim()
  }
  return pairs
}

const textOfPairs = (pairs: Readonly<Record<string, string>> | undefined, separator: string): string =>
  Object.entries(pairs ?? {})
    .map(([name, value]) => `${name}${separator}${value}`)
    .join('\n')

export function draftOf({ channel, events, filter, digest }: Subscription): SubscriptionDraft {
  return {
    type: channel.type,
    url: channel.type === 'email' ? '' : channel.url,
    to: channel.type === 'email' ? channel.to.join('\n') : '',
    headers: channel.type === 'webhook' ? textOfPairs(channel.headers, ': ') : '',
    events,
    workflow: filter?.workflow ?? '',
    status: filter?.status ?? [],
    labels: textOfPairs(filter?.labels, '='),
    digest: digest?.every ?? '',
  }
}

function urlFault(text: string): string | undefined {
  if (text.trim() === '') return 'Where to send it.'
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? undefined : 'An address that begins with https://.'
}

export function faultsOf(draft: SubscriptionDraft): Partial<Record<keyof SubscriptionDraft, string>> {
  const email = draft.type === 'email'
  const faults = {
    url: email ? undefined : urlFault(draft.url),
    to: email && linesOf(draft.to).length === 0 ? 'At least one address.' : undefined,
    headers: draft.type === 'webhook' && !pairsOf(draft.headers, ':') ? 'One a line, as Name: value.' : undefined,
    events: draft.events.length === 0 ? 'At least one event.' : undefined,
    labels: pairsOf(draft.labels, '=') ? undefined : 'One a line, as name=value.',
  }
  return Object.fromEntries(Object.entries(faults).filter(([, fault]) => fault !== undefined))
}

function channelOf({ type, url, to, headers }: SubscriptionDraft): SubscriptionBody['channel'] {
  if (type === 'email') return { type, to: linesOf(to) }
  if (type === 'slack') return { type, url: url.trim() }
  const pairs = pairsOf(headers, ':') ?? {}
  return { type, url: url.trim(), ...(Object.keys(pairs).length === 0 ? {} : { headers: pairs }) }
}

function filterOf({ workflow, status, labels }: SubscriptionDraft): SubscriptionBody['filter'] {
  const pairs = pairsOf(labels, '=') ?? {}
  const filter = {
    ...(workflow.trim() === '' ? {} : { workflow: workflow.trim() }),
    ...(status.length === 0 ? {} : { status: [...status] }),
    ...(Object.keys(pairs).length === 0 ? {} : { labels: pairs }),
  }
  return Object.keys(filter).length === 0 ? undefined : filter
}

export function bodyOf(draft: SubscriptionDraft): SubscriptionBody {
  const filter = filterOf(draft)
  const digest = draft.type === 'email' && draft.digest !== '' ? { every: draft.digest } : undefined
  return {
    events: [...draft.events],
    channel: channelOf(draft),
    ...(filter ? { filter } : {}),
    ...(digest ? { digest } : {}),
  }
}

/** What an update replaces: a filter or digest that was emptied is taken away, and not merely left out. */
export function updateOf(draft: SubscriptionDraft) {
  const body = bodyOf(draft)
  const digest = draft.type === 'email' ? { digest: body.digest ?? null } : {}
  return { ...body, filter: body.filter ?? null, ...digest }
}
