// Asks a deployment for signs of life from a process of its own, so that nothing the tests do can delay the asking:
// `GET /healthz` all the time, and one run of one task after the other. Told 'take', it answers with the times of what
// began since it was last told, once all of that has ended.
const [url, token, workflow] = process.argv.slice(2)
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
const ended = new Set(['succeeded', 'failed', 'cancelled'])
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

const kinds = ['health', 'run']
const seen = { health: [], run: [] }
const underWay = { health: Promise.resolve(), run: Promise.resolve() }

async function measured(kind, work) {
  const from = performance.now()
  const times = seen[kind]
  try {
    await work()
    times.push(performance.now() - from)
  } catch (error) {
    times.push(60_000)
    process.stderr.write(`${kind}: ${error}\n`)
  }
}

async function json(method, path, body) {
  const reply = await fetch(url + path, { method, headers, ...(body === undefined ? {} : { body }) })
  const text = await reply.text()
  if (!reply.ok) throw new Error(`${method} ${path} answered ${reply.status} ${text.slice(0, 200)}`)
  return JSON.parse(text)
}

async function oneRun() {
  const { id } = await json('POST', `/api/v1/workflows/${workflow}/runs`, '{}')
  while (!ended.has((await json('GET', `/api/v1/runs/${id}`)).status)) await pause(10)
}

async function always(kind, work) {
  for (;;) {
    underWay[kind] = measured(kind, work)
    await underWay[kind]
    await pause(20)
  }
}

process.on('message', async () => {
  const taken = { ...seen }
  for (const kind of kinds) seen[kind] = []
  await Promise.all(kinds.map((kind) => underWay[kind]))
  process.send(taken)
})
process.on('disconnect', () => process.exit(0))
void always('health', async () => {
  const reply = await fetch(`${url}/healthz`)
  await reply.arrayBuffer()
})
void always('run', oneRun)
