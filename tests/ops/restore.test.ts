import { execFileSync } from 'node:child_process'
import { afterAll, expect, test } from 'vitest'
import { Client } from '../support/client.js'
import { Standalone } from '../support/standalone.js'

const admin = { email: 'admin@millrace.local', password: 'a-password-for-tests-only' }
const env = { MILLRACE_ADMIN_EMAIL: admin.email, MILLRACE_ADMIN_PASSWORD: admin.password }
const made: Standalone[] = []
afterAll(() => Promise.all(made.map((one) => one.remove())))

async function place(): Promise<Standalone> {
  const standalone = await Standalone.make(env)
  made.push(standalone)
  return standalone
}

async function signIn(standalone: Standalone): Promise<Client> {
  const client = new Client(`http://127.0.0.1:${standalone.port}`)
  const { accessToken } = await client.want<{ accessToken: string }>(200, 'POST', '/api/v1/auth/login', { body: admin })
  return client.as(accessToken)
}

test('a copy of the data dir in an empty place has every run, and those under way go on', async () => {
  const first = await place()
  await first.start()
  const before = await signIn(first)
  const tasks = {
    a: { uses: 'noop' },
    b: { uses: 'sleep', needs: ['a'], with: { duration: '20s' } },
    c: { uses: 'noop', needs: ['b'] },
  }
  await before.createWorkflow({ name: 'restored', tasks })
  const { id } = await before.startRun('restored')
  await before.runUntil(id, 'sleeping', (run) =>
    run.tasks.some(({ key, status }) => key === 'a' && status === 'succeeded'),
  )
  expect(await first.stop()).toBe(0)

  const second = await place()
  // With its owners: PostgreSQL runs as an account of its own where Millrace is started by root.
  execFileSync('cp', ['-a', first.dataDir, second.dataDir])
  await second.start()
  const after = await signIn(second)
  expect(await after.ended(id, 120_000)).toMatchObject({ status: 'succeeded' })
  const { status } = await after.ended((await after.startRun('restored')).id, 120_000)
  expect(status).toBe('succeeded')
})
