import { isIPv4, isIPv6 } from 'node:net'

/** The eight groups of an IPv6 address; undefined when it is none. */
function groupsOf(address: string): number[] | undefined {
  const bare = address.split('%', 1)[0] ?? ''
  if (!isIPv6(bare)) return undefined
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(bare)
  const text = dotted
    ? `${dotted[1]}${(Number(dotted[2]) * 256 + Number(dotted[3])).toString(16)}:${(Number(dotted[4]) * 256 + Number(dotted[5])).toString(16)}`
    : bare
  const [head = '', tail] = text.split('::')
  const parse = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)))
  const [left, right] = [parse(head), parse(tail ?? '')]
  return tail === undefined ? left : [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right]
}

/** An IPv4 address that was written as IPv6 is still one. */
function mappedIPv4(groups: readonly number[]): string | undefined {
  const mapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  const [high = 0, low = 0] = groups.slice(6)
  return mapped ? `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}` : undefined
}

/**
 * The network of a caller: the /24 of IPv4, the /64 of IPv6. One household or office shares it; a whole /64 belongs to
 * one customer, who can take another address of it for each try.
 */
export function networkOf(address: string): string {
  const groups = groupsOf(address)
  const four = groups === undefined ? address : mappedIPv4(groups)
  if (four !== undefined) return isIPv4(four) ? `${four.split('.').slice(0, 3).join('.')}.0/24` : 'unknown'
  return `${(groups ?? [])
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}

/** What a limit per address counts by: the address itself, or the /64 of an IPv6 address. */
export function callerAddressOf(address: string): string {
  const network = networkOf(address)
  return network.endsWith('/64') ? network : address
}
