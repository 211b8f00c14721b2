import { queryOptions } from '@tanstack/react-query'
import { type Api, read } from '../api/client'
import { errorOf } from '../api/problem'
import type { Graph, Workflow } from '../api/types'
import { pagedQuery } from '../shell/paged-list'

export interface Fault {
  path: string
  code: string
  message: string
  line?: number
}

export interface Validation {
  valid: boolean
  errors: Fault[]
  graph: Graph | null
}

/** The names alone, for a choice. */
export const workflowsQuery = (api: Api, q: string) =>
  queryOptions({
    queryKey: [api.project, 'live', 'workflows', q],
    queryFn: () =>
      read(api.client.GET('/api/v1/workflows', { params: { query: { limit: 200, ...(q === '' ? {} : { q }) } } })),
    placeholderData: (old) => old,
  })

/** With what each did last, a page in one call. */
export const workflowListQuery = (api: Api, q: string, tag: string) =>
  pagedQuery([api.project, 'live', 'workflow-list', q, tag], (page) => {
    const query = { ...page, activity: true, ...(q === '' ? {} : { q }), ...(tag === '' ? {} : { tag }) }
    return read(api.client.GET('/api/v1/workflows', { params: { query } }))
  })

export const workflowQuery = (api: Api, name: string, version?: number) =>
  queryOptions({
    queryKey: [api.project, 'workflow', name, version ?? 'latest'],
    queryFn: () =>
      read(
        api.client.GET('/api/v1/workflows/{name}', {
          params: { path: { name }, query: version === undefined ? {} : { version } },
        }),
      ),
  })

export const versionsQuery = (api: Api, name: string) =>
  queryOptions({
    queryKey: [api.project, 'workflow', name, 'versions'],
    queryFn: () =>
      read(api.client.GET('/api/v1/workflows/{name}/versions', { params: { path: { name }, query: { limit: 200 } } })),
  })

export const hooksQuery = (api: Api, name: string) =>
  pagedQuery([api.project, 'workflow', name, 'hooks'], (query) =>
    read(api.client.GET('/api/v1/workflows/{name}/hooks', { params: { path: { name }, query } })),
  )

export const recentRunsQuery = (api: Api, workflow: string, limit: number) =>
  queryOptions({
    queryKey: [api.project, 'live', 'recent-runs', workflow, limit],
    queryFn: () => read(api.client.GET('/api/v1/runs', { params: { query: { limit, workflow } } })),
  })

/** Definitions go as the text that was typed, so that the faults carry its lines. */
async function sendYaml(api: Api, method: string, path: string, text: string): Promise<Response> {
  const response = await api.fetch(path, { method, headers: { 'content-type': 'application/yaml' }, body: text })
  if (!response.ok) throw await errorOf(response)
  return response
}

export const validateYaml = async (api: Api, text: string): Promise<Validation> =>
  (await sendYaml(api, 'POST', '/api/v1/workflows/validate', text)).json() as Promise<Validation>

export const createFromYaml = async (api: Api, text: string): Promise<Workflow> =>
  (await sendYaml(api, 'POST', '/api/v1/workflows', text)).json() as Promise<Workflow>

export const saveYaml = async (api: Api, name: string, text: string): Promise<Workflow> =>
  (await sendYaml(api, 'PUT', `/api/v1/workflows/${encodeURIComponent(name)}`, text)).json() as Promise<Workflow>

export const schemaQuery = (api: Api) =>
  queryOptions({
    queryKey: ['definition-schema'],
    queryFn: async () => {
      const response = await api.fetch('/api/v1/schemas/definition.json')
      if (!response.ok) throw await errorOf(response)
      return (await response.json()) as Record<string, unknown>
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
