import { isIPv4, isIPv6 } from 'node:net'

/** Whether a listener on this host is reached from the machine itself alone. */
export function isLoopback(host: string): boolean {
  if (isIPv4(host)) return host.startsWith('127.')
  if (isIPv6(host)) return /^(0*:)*0*1$/.test(host)
  return host.toLowerCase() === 'localhost'
}
