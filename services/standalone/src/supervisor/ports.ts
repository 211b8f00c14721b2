import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartupError } from './startup-error.js'

export interface PublicPort {
  setting: string
  host: string
  port: number
}

/** A supervisor that was killed leaves children that need a moment to notice; their ports are worth that wait. */
export async function checkPublicPorts(ports: PublicPort[], patienceMs: number): Promise<void> {
  const until = Date.now() + patienceMs
  for (;;) {
    const faults = (await Promise.all(ports.map(describeFault))).filter((fault) => fault !== undefined)
    if (faults.length === 0) return
    if (Date.now() >= until) throw new StartupError(faults.join('\n'))
    await sleep(100)
  }
}

async function describeFault({ setting, host, port }: PublicPort): Promise<string | undefined> {
  const error = await tryToListen(host, port)
  if (!error) return undefined
  const taken = error.code === 'EADDRINUSE'
  const cause = taken ? 'is in use by another program' : `cannot be opened (${error.code ?? error.message})`
  return `Port ${port} on ${host} ${cause}. Stop that program, or set ${setting} to a free port.`
}

/**
 * Below the range from which systems take the ports of outgoing connections: a child that restarts must find its port
 * still free, and the others keep the address they were given.
 */
export async function pickInternalPorts(count: number): Promise<number[]> {
  const first = 20_000
  const span = 12_000
  const ports: number[] = []
  let candidate = randomInt(span)
  for (let tried = 0; ports.length < count && tried < span; tried++) {
    candidate = (candidate + 1) % span
    if (!(await tryToListen('127.0.0.1', first + candidate))) ports.push(first + candidate)
  }
  if (ports.length === count) return ports
  throw new StartupError('No free ports were found on 127.0.0.1 between 20000 and 32000. Stop what uses them.')
}

function tryToListen(host: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', resolve)
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(undefined)))
  })
}
