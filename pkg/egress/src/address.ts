import ipaddr from 'ipaddr.js'

// Azure's wire server answers on an address of ordinary public space.
const metadataAddresses: ReadonlySet<string> = new Set(['168.63.129.16'])
const globalUnicastV6 = ipaddr.IPv6.parseCIDR('2000::/3')

export type AddressVerdict = { allowed: true } | { allowed: false; range: string }

const denied = (range: string): AddressVerdict => ({ allowed: false, range })

/**
 * Says whether an address is ordinary public unicast space. What is not known to be public is denied: also forms that
 * carry an IPv4 address inside (mapped, compatible, NAT64, 6to4, Teredo), since the network may unwrap them.
 */
export function classifyAddress(address: string): AddressVerdict {
  const zoneAt = address.indexOf('%')
  const bare = zoneAt === -1 ? address : address.slice(0, zoneAt)
  if (ipaddr.IPv4.isValidFourPartDecimal(bare)) return classifyV4(ipaddr.IPv4.parse(bare))
  if (ipaddr.IPv6.isValid(bare)) return classifyV6(ipaddr.IPv6.parse(bare))
  return denied('unparseable')
}

function classifyV4(address: ipaddr.IPv4): AddressVerdict {
  const range = address.range()
  if (range !== 'unicast') return denied(range)
  return metadataAddresses.has(address.toString()) ? denied('metadata') : { allowed: true }
}

function classifyV6(address: ipaddr.IPv6): AddressVerdict {
  const range = address.range()
  if (range !== 'unicast') return denied(range)
  return address.match(globalUnicastV6) ? { allowed: true } : denied('reserved')
}

/** True for a dotted-decimal IPv4 or an IPv6 literal, without brackets. */
export function isAddress(host: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(host) || ipaddr.IPv6.isValid(host)
}
