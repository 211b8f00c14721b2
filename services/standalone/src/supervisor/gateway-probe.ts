import { get } from 'node:http'
import { get as getSecurely } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import type { StandaloneConfig } from '../config.js'
import { StartupError } from './startup-error.js'

export interface GatewayPlace {
  host: string
  port: number
  /** Whether it speaks TLS. */
  secure?: boolean
}

export const placeOf = ({ host, port, tlsCert }: StandaloneConfig): GatewayPlace => ({
  host,
  port,
  secure: tlsCert !== undefined,
})

/** Where to reach it from this machine. */
export function gatewayUrl({ host, port, secure }: GatewayPlace): string {
  const everywhere = host === '0.0.0.0' || host === '::'
  const name = everywhere ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return `${secure ? 'https' : 'http'}://${name}:${port}`
}

/** Ready means: seen from outside, through the gateway, with every dependency up. */
export async function awaitGateway(place: GatewayPlace, stopped: AbortSignal, timeoutMs = 60_000): Promise<void> {
  const until = Date.now() + timeoutMs
  let last = 'no answer'
  while (Date.now() < until) {
    try {
      const { status, text } = await askReadiness(place)
      if (status === 200) return
      last = `${status} ${text.slice(0, 500)}`
    } catch (error) {
      last = (error as Error).message
    }
    await sleep(50, undefined, { signal: stopped })
  }
  throw new StartupError(
    `The services did not come up in ${timeoutMs / 1000} s: ${last}. Their logs are in the data dir.`,
  )
}

/** The certificate is for the names that others use, and nothing secret is asked or told: it is not checked here. */
function askReadiness(place: GatewayPlace): Promise<{ status: number | undefined; text: string }> {
  const url = `${gatewayUrl(place)}/readyz`
  const options = { agent: false, signal: AbortSignal.timeout(5_000) } as const
  return new Promise((resolve, reject) => {
    const asked = place.secure ? getSecurely(url, { ...options, rejectUnauthorized: false }) : get(url, options)
    asked.once('error', reject)
    asked.once('response', (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (part: string) => {
        text += part
      })
      answer.once('error', reject)
      answer.once('end', () => resolve({ status: answer.statusCode, text }))
    })
  })
}
