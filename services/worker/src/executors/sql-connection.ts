import { isIP } from 'node:net'
import { invalidInput } from '../execution/execution-failure.js'

export interface SqlConnection {
  host: string
  port: number
  user: string
  password: string
  database: string
  /** `verified`: the certificate must be good for the host. `default`: that, but for a server on this machine. */
  tls: 'default' | 'off' | 'unverified' | 'verified'
}

const tlsModes: Readonly<Record<string, SqlConnection['tls']>> = {
  disable: 'off',
  'no-verify': 'unverified',
  require: 'verified',
  'verify-ca': 'verified',
  'verify-full': 'verified',
}

/**
 * Read here and not by the driver: its parser opens files that parameters name, takes Unix sockets for hosts, and fills
 * what is missing from the worker's own environment.
 */
export function readConnection(text: string): SqlConnection {
  const url = parse(text)
  const user = decoded(url.username)
  const database = decoded(url.pathname.slice(1))
  const host = readHost(url.hostname)
  if (user === '' || database === '') throw invalidInput('`connection` must name a user and a database')
  if (/[\0/]/.test(database) || user.includes('\0')) throw invalidInput('`connection` has a malformed name')
  const password = decoded(url.password)
  return { host, port: url.port === '' ? 5432 : Number(url.port), user, password, database, tls: readTls(url) }
}

function parse(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && /^postgres(ql)?:$/.test(url.protocol)) return url
  throw invalidInput('`connection` must be like postgres://user:password@host:5432/database')
}

function readTls(url: URL): SqlConnection['tls'] {
  for (const name of url.searchParams.keys()) {
    if (name !== 'sslmode') throw invalidInput('`connection` takes no parameter but sslmode')
  }
  const mode = url.searchParams.get('sslmode')
  if (mode === null) return 'default'
  const tls = Object.hasOwn(tlsModes, mode) ? tlsModes[mode] : undefined
  if (tls) return tls
  throw invalidInput(`\`connection\` takes sslmode ${Object.keys(tlsModes).join(', ')}`)
}

/** Decided by the address that is connected to, not by the name: a password leaves this machine only under TLS. */
export function effectiveTls(tls: SqlConnection['tls'], address: string): 'off' | 'unverified' | 'verified' {
  if (tls !== 'default') return tls
  return /^127\./.test(address) || address === '::1' ? 'off' : 'verified'
}

function readHost(hostname: string): string {
  const host = decoded(hostname.replace(/^\[(.*)\]$/, '$1')).toLowerCase()
  if (isIP(host) === 0 && !/^[a-z0-9_]([a-z0-9_.-]{0,252})$/.test(host)) {
    throw invalidInput('`connection` must name a host')
  }
  return host
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw invalidInput('`connection` is badly encoded')
  }
}
