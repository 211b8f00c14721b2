import { join } from 'node:path'
import { cached, runTool } from '@millrace/stack-servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Client } from '../support/client.js'
import { Standalone } from '../support/standalone.js'

/** Commits, not tags: nothing was released before them. */
const earlier = [
  { what: 'the last state before the second edition', commit: 'e975c21' },
  { what: 'the second edition', commit: 'e50d2af' },
]
const root = join(import.meta.dirname, '../..')
const admin = { email: 'admin@millrace.local', password: 'a-password-for-tests-only' }
const env = { MILLRACE_ADMIN_EMAIL: admin.email, MILLRACE_ADMIN_PASSWORD: admin.password }
const made: Standalone[] = []
afterAll(() => Promise.all(made.map((one) => one.remove())))

/** Built once, in a minute or two. */
function build(commit: string): Promise<string> {
  return cached(`millrace-${commit}`, async (draft) => {
    const purpose = `to build ${commit}`
    const archive = join(draft, 'source.tar')
    await runTool('git', ['-C', root, 'archive', '--output', archive, commit], { purpose })
    await runTool('tar', ['-xf', archive, '-C', draft], { purpose })
    await runTool('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { purpose, cwd: draft })
    await runTool('npx', ['tsc', '-b'], { purpose, cwd: draft })
  })
}

async function signIn(standalone: Standalone): Promise<Client> {
  const client = new Client(`http://127.0.0.1:${standalone.port}`)
  const { accessToken } = await client.want<{ accessToken: string }>(200, 'POST', '/api/v1/auth/login', { body: admin })
  return client.as(accessToken)
}

const tasks = {
  a: { uses: 'transform', with: { value: '${{ input.n }}' } },
  nap: { uses: 'sleep', needs: ['a'], with: { duration: '15s' } },
  again: {
    uses: 'fail',
    needs: ['a'],
    with: { times: 2 },
    retry: { maxAttempts: 3, delay: '8s', backoff: 'fixed', jitter: 'none' },
  },
  items: {
    uses: 'map',
    needs: ['a'],
    with: { items: [1, 2, 3], maxParallel: 1, task: { uses: 'sleep', with: { duration: '5s' } } },
  },
  ask: { uses: 'signal', needs: ['a'], with: { name: 'go' } },
  end: { uses: 'transform', needs: ['nap', 'again', 'items', 'ask'], with: { value: '${{ tasks.a.output + 1 }}' } },
}

describe.each(earlier)('$what ($commit)', ({ commit }) => {
  let program: string
  beforeAll(async () => {
    program = join(await build(commit), 'services/standalone/dist/main.js')
  })

  test.each(['stopped', 'killed'])('%s with runs under way: they go on here', { timeout: 600_000 }, async (how) => {
    const standalone = await Standalone.make(env)
    made.push(standalone)
    await standalone.start(program)
    const before = await signIn(standalone)
    await before.createWorkflow({ name: 'upgraded', tasks, output: { sum: '${{ tasks.end.output }}' } })
    const ended = await before.createWorkflow({ name: 'done', tasks: { only: { uses: 'noop' } } })
    const done = await before.ended((await before.startRun(ended.name)).id, 60_000)
    const started = await Promise.all([1, 2, 3].map((n) => before.startRun('upgraded', { input: { n } })))
    for (const { id } of started) {
      await before.runUntil(id, 'under way', (run) =>
        run.tasks.some(({ key, status }) => key === 'a' && status === 'succeeded'),
      )
    }
    if (how === 'stopped') expect(await standalone.stop()).toBe(0)
    else await standalone.crash()

    await standalone.start()
    const after = await signIn(standalone)
    expect(await after.run(done.id)).toMatchObject({ status: 'succeeded', workflow: 'done' })
    for (const { id } of started) await after.want(200, 'POST', `/api/v1/runs/${id}/signals/go`, { body: {} })
    for (const [index, { id }] of started.entries()) {
      const run = await after.ended(id, 240_000)
      expect(run).toMatchObject({ status: 'succeeded', output: { sum: index + 2 } })
      expect(run.tasks.find(({ key }) => key === 'again')?.attempt).toBe(3)
    }
    const fresh = await after.startRun('upgraded', { input: { n: 5 } })
    await after.want(200, 'POST', `/api/v1/runs/${fresh.id}/signals/go`, { body: {} })
    expect(await after.ended(fresh.id, 120_000)).toMatchObject({ status: 'succeeded', output: { sum: 6 } })
  })
})
