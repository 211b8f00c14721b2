import { lookup as systemLookup } from 'node:dns/promises'
import { unavailable, unprocessable } from '@millrace/errors'
import { classifyAddress, isAddress } from './address.js'
import { type AllowList, parseAllowList } from './allow-list.js'

export interface ResolvedAddress {
  address: string
  family: 4 | 6
}

export type Resolve = (host: string) => Promise<ResolvedAddress[]>

export interface GuardOptions {
  allowPrivate: boolean
  /** `host:port` exceptions, exact. */
  allow: readonly string[]
  /** Tests replace the resolver. */
  resolve?: Resolve
}

/** Answers the addresses that may be connected to, or throws `egress_denied`. */
export type Guard = (host: string, port: number) => Promise<ResolvedAddress[]>

export function createGuard(options: GuardOptions): Guard {
  const resolve = options.resolve ?? resolveBySystem
  const listed: AllowList = parseAllowList(options.allow)
  return async (host, port) => {
    const open = options.allowPrivate || listed(host, port)
    if (!open && isLoopbackName(host)) throw denied(host, 'loopback')
    const addresses = isAddress(host) ? [literal(host)] : await resolve(host)
    if (addresses.length === 0) throw unavailable('dns_error', `No address was found for ${host}`)
    if (!open) assertPublic(host, addresses)
    return addresses
  }
}

/** One private address among public ones is enough to refuse: which one a connect would pick is not ours to say. */
function assertPublic(host: string, addresses: readonly ResolvedAddress[]): void {
  for (const { address } of addresses) {
    const verdict = classifyAddress(address)
    if (!verdict.allowed) throw denied(host, verdict.range)
  }
}

function denied(host: string, range: string): Error {
  return unprocessable('egress_denied', `Calls to ${host} are not allowed: the address is not public (${range})`)
}

function isLoopbackName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === 'localhost.localdomain'
}

function literal(host: string): ResolvedAddress {
  return { address: host, family: host.includes(':') ? 6 : 4 }
}

async function resolveBySystem(host: string): Promise<ResolvedAddress[]> {
  try {
    const found = await systemLookup(host, { all: true, verbatim: true })
    return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }))
  } catch (error) {
    throw unavailable('dns_error', `The name ${host} cannot be resolved`, error)
  }
}
