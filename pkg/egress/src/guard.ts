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

/**
 * Answers the addresses that may be connected to. Throws `egress_denied` for a guarded address or a name of this machine,
 * and the same `dns_error` for every other name without a public address: whoever may try names must not learn which of
 * them an internal resolver knows, nor where they lead.
 */
export type Guard = (host: string, port: number) => Promise<ResolvedAddress[]>

export function createGuard(options: GuardOptions): Guard {
  const resolve = options.resolve ?? resolveBySystem
  const listed: AllowList = parseAllowList(options.allow)
  return async (host, port) => {
    const open = options.allowPrivate || listed(host, port)
    if (isAddress(host)) return [open ? literal(host) : publicLiteral(host)]
    if (open) return resolved(await resolve(host), host)
    if (isNameOfThisMachine(host)) throw denied(host, 'loopback')
    return publicAddresses(await resolve(host).catch(() => []), host)
  }
}

function publicLiteral(host: string): ResolvedAddress {
  const verdict = classifyAddress(host)
  if (!verdict.allowed) throw denied(host, verdict.range)
  return literal(host)
}

function resolved(addresses: ResolvedAddress[], host: string): ResolvedAddress[] {
  if (addresses.length > 0) return addresses
  throw unavailable('dns_error', `No address was found for ${host}`)
}

/** One private address among public ones is enough to refuse: which one a connect would pick is not ours to say. */
function publicAddresses(addresses: ResolvedAddress[], host: string): ResolvedAddress[] {
  if (addresses.length > 0 && addresses.every(({ address }) => classifyAddress(address).allowed)) return addresses
  throw unavailable('dns_error', `The name ${host} has no public address`)
}

function denied(host: string, range: string): Error {
  return unprocessable('egress_denied', `Calls to ${host} are not allowed: the address is not public (${range})`)
}

/** As the hosts files of common systems spell them. */
const namesOfThisMachine =
  /^(?:(?:.*\.)?localhost6?(?:\.localdomain6?)?|ip6-(?:localhost|loopback|localnet|allnodes|allrouters))$/

const isNameOfThisMachine = (host: string): boolean => namesOfThisMachine.test(host)

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
