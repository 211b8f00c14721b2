// Both clients beside each other on one broker: npm ci, then
//   node_modules/node/bin/node main.mjs [rounds] [events]
// Rounds alternate; what is printed is the median of the rounds. The workspaces have to be built, Java has to be there.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { kafkaSpec, startServer } from '../../infra/stack/servers/dist/index.js'

const [, , rounds = '3', events = '50000'] = process.argv
const clients = ['kafkajs', '@platformatic/kafka']
const folder = mkdtempSync(join(tmpdir(), 'millrace-kafka-clients-'))

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address()
      probe.close(() => resolve(port))
    })
  })
}

const spec = await kafkaSpec({
  ...{ directory: join(folder, 'data'), port: await freePort(), controllerPort: await freePort() },
  heapMb: 512,
})
// On a busy machine it may take its time; only what comes after is measured.
spec.startTimeoutMs = 600_000
const startBroker = () => startServer(spec, join(folder, 'kafka.log'))
let broker = await startBroker()

async function measure(client) {
  const child = fork(fileURLToPath(new URL('./measure.mjs', import.meta.url)), [client, spec.address, events])
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`${client} ended with ${code}`)
  })
  exited.catch(() => undefined)
  const told = () => Promise.race([once(child, 'message').then(([message]) => message), exited])
  let message = await told()
  if (message === 'restart') {
    await broker.kill()
    broker = await startBroker()
    child.send('up')
    message = await told()
  }
  await exited.catch(() => undefined)
  return message
}

const middle = (values) => values.sort((a, b) => a - b)[values.length >> 1]
const shown = {
  'publish → handler p50, ms': ({ latency }) => latency.p50,
  'publish → handler p99, ms': ({ latency }) => latency.p99,
  'produced a second': ({ produce }) => produce.perSecond,
  'consumed a second': ({ consume }) => consume.perSecond,
  'CPU s per 100k produced': ({ produce }) => produce.cpuPer100k,
  'CPU s per 100k consumed': ({ consume }) => consume.cpuPer100k,
  'broker back → sends, ms': ({ reconnect }) => reconnect.sendMs,
  'broker back → handles, ms': ({ reconnect }) => reconnect.handleMs,
}

try {
  const results = new Map(clients.map((client) => [client, []]))
  for (let round = 0; round < Number(rounds); round += 1) {
    for (const client of clients) {
      const result = await measure(client)
      console.log(`${round + 1} ${client} ${JSON.stringify(result)}`)
      results.get(client).push(result)
    }
  }
  console.log(`Node ${process.version}, ${rounds} rounds of ${events} events`)
  for (const [title, of] of Object.entries(shown)) {
    const values = clients.map((client) => middle(results.get(client).map(of)).toFixed(1).padStart(12))
    console.log(`${title.padEnd(28)}${values.join('')}`)
  }
} finally {
  await broker.kill()
  rmSync(folder, { recursive: true, force: true })
}
