import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { type Api, read } from '../api/client'
import type { Body } from '../api/types'
import { fromTime } from '../ui/time-span'

export const states = ['open', 'retried', 'deleted'] as const
export type State = (typeof states)[number]

export const classes = [
  'timeout',
  'http_4xx',
  'http_5xx',
  'network',
  'validation',
  'expression',
  'lost_worker',
  'user',
  'non_retryable',
  'unknown',
] as const
export type ErrorClass = (typeof classes)[number]

export interface DeadLetterFilters {
  state: State
  workflow?: string
  class?: ErrorClass
  /** Of the failure; a span before now, or a time. */
  from?: string
  to?: string
}

/** What is in the address and unknown here is left out: a link must not end in an error. */
export function filtersOf(search: Readonly<Record<string, string | undefined>>): DeadLetterFilters {
  const state = states.find((each) => each === search.state) ?? 'open'
  const errorClass = classes.find((each) => each === search.class)
  return {
    state,
    ...(search.workflow ? { workflow: search.workflow } : {}),
    ...(errorClass ? { class: errorClass } : {}),
    ...(search.from ? { from: search.from } : {}),
    ...(search.to ? { to: search.to } : {}),
  }
}

const pageSize = 200

/** As the API takes them: a span before now becomes a time. */
export function filterOf({ state, class: errorClass, from, ...rest }: DeadLetterFilters, now: number) {
  const since = fromTime(from, now)
  return {
    ...rest,
    state: [state],
    ...(since === undefined ? {} : { from: since }),
    ...(errorClass === undefined ? {} : { class: [errorClass] }),
  }
}

export const deadLettersQuery = (api: Api, filters: DeadLetterFilters) =>
  infiniteQueryOptions({
    queryKey: [api.project, 'live', 'dead-letters', filters],
    queryFn: ({ pageParam }) => {
      const query = {
        ...filterOf(filters, Date.now()),
        limit: pageSize,
        ...(pageParam === '' ? {} : { cursor: pageParam }),
      }
      return read(api.client.GET('/api/v1/dlq', { params: { query } }))
    },
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  })

export const deadLetterQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: [api.project, 'dead-letter', id],
    queryFn: () => read(api.client.GET('/api/v1/dlq/{id}', { params: { path: { id } } })),
  })

export const deleteDeadLetter = (api: Api, id: string) =>
  read(api.client.DELETE('/api/v1/dlq/{id}', { params: { path: { id } } }))

export type Outcome = Body<'retryDeadLetters'>['items'][number]

/** As many as one call takes. */
const atOnce = 1_000

export async function retryDeadLetters(api: Api, ids: readonly string[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (let at = 0; at < ids.length; at += atOnce) {
    const body = { ids: ids.slice(at, at + atOnce) }
    outcomes.push(...(await read(api.client.POST('/api/v1/dlq/retry', { body }))).items)
  }
  return outcomes
}

/** The open ones that match, as many as one call takes; `more` when others do. */
export const retryMatching = (
  api: Api,
  filter: { workflow?: string; class?: ErrorClass[]; from?: string; to?: string },
): Promise<{ items: Outcome[]; more: boolean }> => read(api.client.POST('/api/v1/dlq/retry', { body: { filter } }))
