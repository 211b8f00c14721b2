import { setTimeout as sleep } from 'node:timers/promises'
import { StartupError } from './startup-error.js'

/** Where to reach it from this machine. */
export function gatewayUrl(host: string, port: number): string {
  const everywhere = host === '0.0.0.0' || host === '::'
  const name = everywhere ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}

/** Ready means: seen from outside, through the gateway, with every dependency up. */
export async function awaitGateway(
  host: string,
  port: number,
  stopped: AbortSignal,
  timeoutMs = 60_000,
): Promise<void> {
  const until = Date.now() + timeoutMs
  let last = 'no answer'
  while (Date.now() < until) {
    try {
      const reply = await fetch(`${gatewayUrl(host, port)}/readyz`, { signal: AbortSignal.timeout(5_000) })
      const text = await reply.text()
      if (reply.ok) return
      last = `${reply.status} ${text.slice(0, 500)}`
    } catch (error) {
      last = (error as Error).message
    }
    await sleep(50, undefined, { signal: stopped })
  }
  throw new StartupError(
    `The services did not come up in ${timeoutMs / 1000} s: ${last}. Their logs are in the data dir.`,
  )
}
