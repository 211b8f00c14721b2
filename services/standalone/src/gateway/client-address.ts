import { BlockList, isIP } from 'node:net'

export interface ClientAddresses {
  clientOf(remote: string | undefined, forwardedFor: string | undefined): string
  /** Whether the connection comes from a proxy whose word on the caller counts. */
  isProxy(remote: string | undefined): boolean
}

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')
const plain = (address: string) => address.trim().replace(/^::ffff:(?=\d+\.)/i, '')

export function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/')
  const family = isIP(address)
  if (family === 0 || more.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32))
}

/**
 * Who really calls. `X-Forwarded-For` is the word of whoever connects, so it counts only as far as trusted proxies wrote
 * it: read from its end, the first address that is not one of theirs is the caller's.
 */
export function createClientAddresses(trustedProxies: readonly string[]): ClientAddresses {
  const trusted = new BlockList()
  for (const network of trustedProxies) {
    const [address = '', bits] = network.split('/')
    if (bits === undefined) trusted.addAddress(address, familyOf(address))
    else trusted.addSubnet(address, Number(bits), familyOf(address))
  }
  const isTrusted = (address: string) => trustedProxies.length > 0 && trusted.check(address, familyOf(address))
  return {
    isProxy: (remote) => isTrusted(plain(remote ?? '')),
    clientOf(remote, forwardedFor) {
      let client = plain(remote ?? '')
      for (const hop of (forwardedFor ?? '').split(',').reverse()) {
        const address = plain(hop)
        if (!isTrusted(client) || isIP(address) === 0) return client
        client = address
      }
      return client
    },
  }
}
