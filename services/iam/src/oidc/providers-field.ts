import type { Field } from '@millrace/config'
import { isMemberRole, type MemberRole } from '@millrace/identity'

export interface OidcProvider {
  /** In `?provider=`. */
  id: string
  /** On the button. */
  name: string
  issuer: string
  clientId: string
  clientSecret: string | undefined
  scopes: string
  groupsClaim: string
  /** By group: what its members are in a project, named by slug. */
  groups: ReadonlyMap<string, readonly { project: string; role: MemberRole }[]>
}

const NAME = 'MILLRACE_OIDC_PROVIDERS'
const idPattern = /^[a-z0-9][a-z0-9-]{0,31}$/

class Fault extends Error {}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const known = new Set(['id', 'name', 'issuer', 'clientId', 'clientSecret', 'scopes', 'groupsClaim', 'groups'])

function text(entry: Record<string, unknown>, name: string, fallback?: string): string {
  const value = entry[name] ?? fallback
  if (typeof value !== 'string' || value === '') throw new Fault(`${name} must be a text`)
  return value
}

/** Plain HTTP only on this machine: a provider's word is as good as the way it comes. */
function issuerOf(entry: Record<string, unknown>): string {
  const issuer = text(entry, 'issuer')
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined
  const local = url !== undefined && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname)
  if (url?.protocol !== 'https:' && !(url?.protocol === 'http:' && local))
    throw new Fault('issuer must be an https URL')
  return issuer
}

function groupsOf(value: unknown): OidcProvider['groups'] {
  if (value === undefined) return new Map()
  if (!isObject(value)) throw new Fault('groups must be an object of group: {project: role}')
  return new Map(
    Object.entries(value).map(([group, roles]) => {
      if (!isObject(roles)) throw new Fault(`groups.${group} must be an object of project: role`)
      const granted = Object.entries(roles).map(([project, role]) => {
        if (!isMemberRole(role)) throw new Fault(`groups.${group}.${project} must be a role`)
        return { project, role }
      })
      return [group, granted] as const
    }),
  )
}

function providerOf(entry: unknown): OidcProvider {
  if (!isObject(entry)) throw new Fault('must be an object')
  const odd = Object.keys(entry).find((name) => !known.has(name))
  if (odd !== undefined) throw new Fault(`has no setting ${odd}`)
  const id = text(entry, 'id')
  if (!idPattern.test(id)) throw new Fault('id must be lower-case letters, digits and dashes')
  return {
    id,
    name: text(entry, 'name', id),
    issuer: issuerOf(entry),
    clientId: text(entry, 'clientId'),
    clientSecret: entry.clientSecret === undefined ? undefined : text(entry, 'clientSecret'),
    scopes: text(entry, 'scopes', 'openid email profile'),
    groupsClaim: text(entry, 'groupsClaim', 'groups'),
    groups: groupsOf(entry.groups),
  }
}

/** Faults name the place and never quote what stands there: it may be a secret. */
export function parseProviders(raw: string): OidcProvider[] {
  let list: unknown
  try {
    list = JSON.parse(raw)
  } catch {
    throw new Fault('must be JSON')
  }
  if (!Array.isArray(list)) throw new Fault('must be a list')
  const providers = list.map((entry, at) => {
    try {
      return providerOf(entry)
    } catch (error) {
      throw new Fault(`provider ${at + 1}: ${error instanceof Fault ? error.message : 'is not valid'}`)
    }
  })
  if (new Set(providers.map(({ id }) => id)).size < providers.length) throw new Fault('two providers have one id')
  return providers
}

export const oidcProviders: Field<OidcProvider[]> = {
  name: NAME,
  settings: [{ name: NAME, kind: 'secret', required: false, default: undefined }],
  read(env) {
    const raw = env[NAME]
    if (raw === undefined || raw === '') return { value: [] }
    try {
      return { value: parseProviders(raw) }
    } catch (error) {
      return { fault: `${NAME} ${error instanceof Fault ? error.message : 'is not valid'}` }
    }
  },
}
