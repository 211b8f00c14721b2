import { queryOptions } from '@tanstack/react-query'
import { type Api, read } from '../api/client'
import type { Body, Item, Sent } from '../api/types'
import { type ListPage, pagedQuery } from '../shell/paged-list'
import { type AuditFilters, auditQueryOf } from './audit-filters'

export type Member = Sent<Item<Body<'listMembers'>>>
export type Invitation = Sent<Item<Body<'listInvitations'>>>
export type ApiKey = Sent<Item<Body<'listApiKeys'>>>
export type ServiceAccount = Sent<Item<Body<'listServiceAccounts'>>>
export type Secret = Sent<Item<Body<'listSecrets'>>, 'createdAt'>
export type AuditEntry = Sent<Item<Body<'listAudit'>>, 'ip' | 'requestId' | 'role' | 'projectId'>
export type Session = Sent<Item<Body<'listSessions'>>>
export type Account = Sent<Item<Body<'listUsers'>>>

const key = (api: Api, ...rest: unknown[]) => [api.project, 'settings', ...rest]
const slugOf = (api: Api) => ({ slug: api.project })

export const projectQuery = (api: Api) =>
  queryOptions({
    queryKey: key(api, 'project'),
    queryFn: () => read(api.client.GET('/api/v1/projects/{slug}', { params: { path: slugOf(api) } })),
  })

export const usageQuery = (api: Api) =>
  queryOptions({
    queryKey: key(api, 'usage'),
    queryFn: () => read(api.client.GET('/api/v1/projects/{slug}/usage', { params: { path: slugOf(api) } })),
  })

export const membersQuery = (api: Api) =>
  pagedQuery(
    key(api, 'members'),
    (query) =>
      read(api.client.GET('/api/v1/projects/{slug}/members', { params: { path: slugOf(api), query } })) as Promise<
        ListPage<Member>
      >,
  )

export const invitationsQuery = (api: Api) =>
  pagedQuery(
    key(api, 'invitations'),
    (query) =>
      read(api.client.GET('/api/v1/projects/{slug}/invitations', { params: { path: slugOf(api), query } })) as Promise<
        ListPage<Invitation>
      >,
  )

export const apiKeysQuery = (api: Api) =>
  pagedQuery(
    key(api, 'api-keys'),
    (query) => read(api.client.GET('/api/v1/api-keys', { params: { query } })) as Promise<ListPage<ApiKey>>,
  )

export const serviceAccountsQuery = (api: Api) =>
  pagedQuery(
    key(api, 'service-accounts'),
    (query) =>
      read(api.client.GET('/api/v1/service-accounts', { params: { query } })) as Promise<ListPage<ServiceAccount>>,
  )

export const secretsQuery = (api: Api) =>
  pagedQuery(
    key(api, 'secrets'),
    (query) => read(api.client.GET('/api/v1/secrets', { params: { query } })) as Promise<ListPage<Secret>>,
  )

export const auditQuery = (api: Api, filters: AuditFilters) =>
  pagedQuery(
    key(api, 'audit', filters),
    (page) =>
      read(
        api.client.GET('/api/v1/audit', { params: { query: { ...auditQueryOf(filters, Date.now()), ...page } } }),
      ) as Promise<ListPage<AuditEntry>>,
  )

/** Reads the whole log and takes its time: asked for by a button, never by opening the room. */
export const auditVerifyQuery = (api: Api) =>
  queryOptions({
    queryKey: key(api, 'audit-verify'),
    queryFn: () => read(api.client.GET('/api/v1/audit/verify')),
    enabled: false,
    retry: false,
  })

export const sessionsQuery = (api: Api) =>
  pagedQuery(
    key(api, 'sessions'),
    (query) => read(api.client.GET('/api/v1/auth/sessions', { params: { query } })) as Promise<ListPage<Session>>,
  )

export type PlatformProject = Sent<Item<Body<'listProjects'>>, 'role'>

export const allProjectsQuery = (api: Api, q: string) =>
  pagedQuery(
    key(api, 'projects', q),
    (query) =>
      read(
        api.client.GET('/api/v1/projects', { params: { query: { ...query, all: true, ...(q ? { q } : {}) } } }),
      ) as Promise<ListPage<PlatformProject>>,
  )

export const usersQuery = (api: Api, q: string) =>
  pagedQuery(
    key(api, 'users', q),
    (query) =>
      read(api.client.GET('/api/v1/users', { params: { query: { ...query, ...(q ? { q } : {}) } } })) as Promise<
        ListPage<Account>
      >,
  )
