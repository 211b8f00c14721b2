import createClient, { type Client } from 'openapi-fetch'
import type { paths } from './gen/schema'
import { authorizedFetch } from './http'
import { ApiError, errorOf, type Problem } from './problem'

/** The API as seen from one project; without one, what belongs to the person alone. */
export interface Api {
  readonly project: string
  readonly client: Client<paths>
  /** For answers that are no JSON: streams, logs, files. */
  fetch(path: string, init?: RequestInit): Promise<Response>
}

/** Enumerations in filters are comma lists. */
const querySerializer = { array: { style: 'form', explode: false } } as const

const known = new Map<string, Api>()

export function apiFor(project: string): Api {
  const existing = known.get(project)
  if (existing) return existing
  const headers: Record<string, string> = project === '' ? {} : { 'X-Millrace-Project': project }
  const api: Api = {
    project,
    client: createClient<paths>({ baseUrl: location.origin, headers, fetch: authorizedFetch, querySerializer }),
    fetch: (path, init = {}) =>
      authorizedFetch(
        new Request(new URL(path, location.origin), {
          ...init,
          headers: { ...headers, ...(init.headers as Record<string, string> | undefined) },
        }),
      ),
  }
  known.set(project, api)
  return api
}

interface Answer<T> {
  data?: T
  error?: unknown
  response: Response
}

/** The answer's body, or an ApiError. */
export async function read<T>(answer: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await answer
  if (response.ok) return data as T
  const problem = error as Partial<Problem> | undefined
  if (problem?.code === undefined) throw await errorOf(new Response(null, response))
  const retryAfter = Number(response.headers.get('retry-after')) || undefined
  throw new ApiError(problem as Problem, retryAfter)
}
