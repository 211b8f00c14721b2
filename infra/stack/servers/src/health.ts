import { connect } from 'node:net'

const probeTimeoutMs = 2_000

/** Whether `url` answers with a success. */
export async function answersOk(url: string): Promise<boolean> {
  const reply = await fetch(url, { signal: AbortSignal.timeout(probeTimeoutMs) })
  await reply.arrayBuffer()
  return reply.ok
}

/** Whether anybody listens there. */
export function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: probeTimeoutMs })
    const end = (up: boolean) => {
      socket.destroy()
      resolve(up)
    }
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
    socket.once('timeout', () => end(false))
  })
}
