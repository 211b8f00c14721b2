import { isAlive } from '@millrace/embedded-postgres'
import type { Terminal } from '@millrace/standalone-service'
import { formatEntry, readStatus } from './status-file.js'

/** 0 when everything is up, so that scripts can ask too. */
export async function showStatus(dataDir: string, terminal: Terminal): Promise<number> {
  const status = readStatus(dataDir)
  if (status === undefined) {
    terminal.line(`No stack runs on ${dataDir}.`)
    return 1
  }
  const supervised = isAlive(status.pid)
  const entries = status.entries.map((entry) =>
    entry.pid === undefined || isAlive(entry.pid) ? entry : { ...entry, state: 'gone', pid: undefined },
  )
  for (const entry of entries) terminal.line(formatEntry(entry))
  const whole = supervised && entries.every((entry) => entry.state === 'up')
  const gateway = await answers(`${status.url}/readyz`)
  terminal.line(`  ${'gateway'.padEnd(14)}${gateway}`)
  if (!supervised) terminal.line('The supervisor is gone: make stack-down ends what it left, make stack starts anew.')
  return whole && gateway.startsWith('200') ? 0 : 1
}

async function answers(url: string): Promise<string> {
  try {
    const reply = await fetch(url, { signal: AbortSignal.timeout(5_000) })
    return `${reply.status} ${await reply.text()}`
  } catch (error) {
    return `no answer at ${url} (${(error as Error).message})`
  }
}
