import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { waitFor } from '@millrace/testkit'
import { afterEach, expect, test, vi } from 'vitest'
import { pickRuntime } from '../src/supervisor/runtime.js'
import { makePlace, type Place, processesOf, Standalone } from './standalone-process.js'

vi.setConfig({ testTimeout: 180_000 })

const folder = fileURLToPath(new URL('../../../infra/runtime', import.meta.url))
const bundled = pickRuntime('bundled', folder).execPath
/** `make run` and `make test` fetch it where the Node at hand is older; without it there is nothing to start on. */
const isThere = existsSync(folder) && bundled !== process.execPath

let place: Place
let instance: Standalone | undefined

afterEach(async () => {
  instance?.kill('SIGKILL')
  await place?.remove()
})

async function call<T>(path: string, body?: unknown, token?: string): Promise<T> {
  const response = await fetch(instance?.url(path) ?? '', {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as T
}

test.runIf(isThere)(
  'where the Node at hand is older, every process runs on the bundled one, and a run ends',
  async () => {
    place = await makePlace()
    const password = 'correct-horse-battery-staple'
    instance = new Standalone(place, { MILLRACE_NODE: 'bundled', MILLRACE_ADMIN_PASSWORD: password })
    await instance.ready()
    expect(instance.lines(/^ {2}runtime {3}Node \d+\.\d+\.\d+, bundled/)).toHaveLength(1)
    const children = processesOf(place.dataDir).filter(({ command }) => command.includes('dist/'))
    expect(children.map(({ command }) => command.startsWith(bundled))).toEqual([true, true, true, true])

    const email = 'admin@millrace.local'
    const { accessToken } = await call<{ accessToken: string }>('/api/v1/auth/login', { email, password })
    const definition = { name: 'on-bundled', tasks: { one: { uses: 'noop' } } }
    await call('/api/v1/workflows', definition, accessToken)
    const { id } = await call<{ id: string }>('/api/v1/workflows/on-bundled/runs', {}, accessToken)
    const status = async () => (await call<{ status: string }>(`/api/v1/runs/${id}`, undefined, accessToken)).status
    await waitFor(async () => (await status()) === 'succeeded', { timeoutMs: 60_000, what: 'the end of the run' })
  },
)
