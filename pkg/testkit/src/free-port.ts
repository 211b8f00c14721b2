import { once } from 'node:events'
import { createServer } from 'node:net'

const first = 10_000
const span = 10_000
/** Processes that look at the same time begin in places of their own. */
let candidate = (process.pid * 40) % span

/**
 * A port free at this moment. Prefer listening on port 0; this is for children that must be told their port. Below the
 * range from which systems take the ports of outgoing connections, so that none of those has it when the child listens.
 */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  for (let tried = 0; tried < span; tried++) {
    candidate = (candidate + 1) % span
    const port = first + candidate
    if (await isFree(host, port)) return port
  }
  throw new Error(`no port is free between ${first} and ${first + span}`)
}

async function isFree(host: string, port: number): Promise<boolean> {
  const server = createServer()
  try {
    await once(server.listen(port, host), 'listening')
  } catch {
    return false
  }
  await new Promise((resolve) => server.close(resolve))
  return true
}
