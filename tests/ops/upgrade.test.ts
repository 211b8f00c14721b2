import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { cached, runTool } from '@millrace/stack-servers'
import { httpSink, testDatabase } from '@millrace/testkit'
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

  test('beside this version on one database, as during a roll: runs of both end, each once', {
    timeout: 600_000,
  }, async () => {
    const [database, sink] = await Promise.all([testDatabase(), httpSink()])
    const shared = {
      ...env,
      DATABASE_URL: database.url,
      MILLRACE_MASTER_KEY: randomBytes(32).toString('base64'),
      MILLRACE_EGRESS_ALLOW: `127.0.0.1:${sink.port}`,
    }
    const [earlierOne, thisOne] = await Promise.all([Standalone.make(shared), Standalone.make(shared)])
    try {
      await earlierOne.start(program)
      const before = await signIn(earlierOne)
      await before.createWorkflow({
        name: 'rolled',
        tasks: {
          nap: { uses: 'sleep', with: { duration: '${{ input.nap }}' } },
          effect: { uses: 'http', needs: ['nap'], with: { url: `${sink.url}/\${{ input.n }}` } },
        },
      })
      const begin = (client: Client, from: number) =>
        Promise.all(
          Array.from({ length: 20 }, (_, i) =>
            client.startRun('rolled', { input: { n: `n${from + i}`, nap: `${i % 10}s` } }),
          ),
        )
      const runs = await begin(before, 0)
      await thisOne.start()
      const after = await signIn(thisOne)
      runs.push(...(await Promise.all([begin(before, 20), begin(after, 40)])).flat())
      await after.ended(runs[59]?.id ?? '', 120_000)
      expect(await earlierOne.stop()).toBe(0)
      runs.push(...(await begin(after, 60)))
      for (const { id } of runs) expect((await after.ended(id, 120_000)).status).toBe('succeeded')
      const effects = sink.requests.map(({ url }) => url.slice(1)).sort()
      expect(effects).toEqual(Array.from({ length: 80 }, (_, n) => `n${n}`).sort())
    } finally {
      await Promise.all([earlierOne.remove(), thisOne.remove()])
      await Promise.all([database.drop(), sink.close()])
    }
  })
})
