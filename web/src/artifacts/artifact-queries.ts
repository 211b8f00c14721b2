import { queryOptions } from '@tanstack/react-query'
import { type Api, read } from '../api/client'
import { errorOf } from '../api/problem'
import type { Body, Item, Sent } from '../api/types'
import { type ListPage, pagedQuery } from '../shell/paged-list'
import { textBytes } from './preview'

export type Artifact = Sent<Item<Body<'listArtifacts'>>>

export interface ArtifactFilters {
  run?: string
  task?: string
  name?: string
}

const names = ['run', 'task', 'name'] as const

export function artifactFiltersOf(search: Readonly<Record<string, string | undefined>>): ArtifactFilters {
  return Object.fromEntries(names.flatMap((name) => (search[name] ? [[name, search[name]]] : [])))
}

export const artifactsQuery = (api: Api, filters: ArtifactFilters) =>
  pagedQuery(
    [api.project, 'live', 'artifacts', filters],
    (page) =>
      read(api.client.GET('/api/v1/artifacts', { params: { query: { ...filters, ...page } } })) as Promise<
        ListPage<Artifact>
      >,
  )

export const artifactQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: [api.project, 'artifact', id],
    queryFn: () => read(api.client.GET('/api/v1/artifacts/{id}', { params: { path: { id } } })) as Promise<Artifact>,
  })

export async function fetchContent(api: Api, id: string, init: RequestInit = {}): Promise<Response> {
  const response = await api.fetch(`/api/v1/artifacts/${encodeURIComponent(id)}/content`, init)
  if (!response.ok) throw await errorOf(response)
  return response
}

/** The beginning of a text, or all of it. Content never changes once it is complete. */
export const textQuery = (api: Api, { id, size }: Artifact) =>
  queryOptions({
    queryKey: [api.project, 'artifact', id, 'text'],
    queryFn: async ({ signal }) => {
      if (size === 0) return new Uint8Array()
      const headers = { range: `bytes=0-${textBytes - 1}` }
      return new Uint8Array(await (await fetchContent(api, id, { headers, signal })).arrayBuffer())
    },
    staleTime: Number.POSITIVE_INFINITY,
  })

export const imageQuery = (api: Api, { id, contentType }: Artifact) =>
  queryOptions({
    queryKey: [api.project, 'artifact', id, 'image'],
    queryFn: async ({ signal }) =>
      new Blob([await (await fetchContent(api, id, { signal })).arrayBuffer()], { type: contentType }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
