// Asks a deployment for signs of life from a process of its own, so that nothing the tests do can delay the asking:
// `GET /healthz` all the time, and one run of one task after the other. Told 'take', it answers with what it saw since.
const [url, token, workflow] = process.argv.slice(2)
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
const ended = new Set(['succeeded', 'failed', 'cancelled'])
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

const seen = { health: [], run: [] }
const since = {}

async function measured(kind, work) {
  since[kind] = performance.now()
  try {
    await work()
    seen[kind].push(performance.now() - since[kind])
  } catch (error) {
    seen[kind].push(60_000)
    process.stderr.write(`${kind}: ${error}\n`)
  }
  since[kind] = undefined
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
    await measured(kind, work)
    await pause(20)
  }
}

process.on('message', () => {
  const taken = {}
  for (const kind of ['health', 'run']) {
    // What is still under way counts with the time it has taken so far.
    const open = since[kind] === undefined ? [] : [performance.now() - since[kind]]
    taken[kind] = [...seen[kind], ...open]
    seen[kind] = []
  }
  process.send(taken)
})
process.on('disconnect', () => process.exit(0))
void always('health', async () => {
  const reply = await fetch(`${url}/healthz`)
  await reply.arrayBuffer()
})
void always('run', oneRun)
