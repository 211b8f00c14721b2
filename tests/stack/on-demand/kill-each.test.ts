import { setTimeout as delay } from 'node:timers/promises'
import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, newUser, uniqueName } from '../../support/client.js'
import type { RunSummary } from '../../support/shapes.js'
import { postgres, StackControl } from '../../support/stack.js'
import { startTarget, type Target } from '../../support/target.js'

const everyMs = 250
/** The load goes on so long after a process is back. */
const afterwardsMs = 3_000

const stack = new StackControl()
let target: Target
let client: Client
beforeAll(async () => {
  target = await startTarget()
  client = (await newUser(target)).client
})
afterAll(() => target.close())

interface Line {
  name: string
  backMs: number
  refused: number
}

test('each process killed with -9 under load comes back; no run is lost, none is started twice', {
  timeout: 1_800_000,
}, async () => {
  const mark = uniqueName('kill-each')
  const effects = new Map<string, number>()
  target.sink.otherwise(({ url }) => {
    const key = url.split(`/${mark}/`)[1]
    if (key !== undefined) effects.set(key, (effects.get(key) ?? 0) + 1)
    return { status: 200 }
  })
  const url = `${target.sink.url}/${mark}/\${{ input.n }}`
  const { name: workflow } = await client.createWorkflow({
    name: mark,
    tasks: { a: { uses: 'noop' }, b: { uses: 'http', needs: ['a'], with: { url } } },
  })
  const load = new Load(client, workflow)
  const lines: Line[] = []
  for (const name of [postgres, ...stack.names()]) {
    const refused = load.refused
    const killedAt = Date.now()
    await stack.killAndAwait(name, 240_000)
    const backMs = Date.now() - killedAt
    await delay(afterwardsMs)
    lines.push({ name, backMs, refused: load.refused - refused })
  }
  const started = await load.end()
  for (const { id, n } of started) {
    const run = await client.ended(id, 240_000)
    expect(run, `run ${n}`).toMatchObject({ status: 'succeeded', error: null })
  }
  const executed = started.map(({ n }) => effects.get(String(n)) ?? 0)
  expect(
    executed.filter((times) => times === 0),
    'lost effects',
  ).toEqual([])
  const letters = await client.want<{ items: unknown[] }>(200, 'GET', `/api/v1/dlq?workflow=${workflow}`)
  expect(letters.items).toEqual([])
  const runs = await client.all<RunSummary>(`/api/v1/runs?workflow=${workflow}`)
  expect(runs.map(({ id }) => id).sort(), 'one run for each start, whatever was repeated').toEqual(
    started.map(({ id }) => id).sort(),
  )
  const repeated = executed.filter((times) => times > 1).length
  for (const { name, backMs, refused } of lines) {
    process.stdout.write(`| ${name} | ${(backMs / 1000).toFixed(1)} s | ${refused} |\n`)
  }
  process.stdout.write(`${started.length} runs, all succeeded; ${repeated} with a repeated execution\n`)
})

/** Starts runs at a steady pace. A start that is not answered is repeated under its key until it is. */
class Load {
  refused = 0
  private loading = true
  private readonly starts: Promise<{ id: string; n: number }>[] = []
  private readonly pacing: Promise<void>

  constructor(
    private readonly client: Client,
    private readonly workflow: string,
  ) {
    this.pacing = this.pace()
  }

  private async pace(): Promise<void> {
    for (let n = 0; this.loading; n++) {
      this.starts.push(this.start(n))
      await delay(everyMs)
    }
  }

  private start(n: number): Promise<{ id: string; n: number }> {
    const call = {
      body: { input: { n } },
      headers: { 'idempotency-key': `${this.workflow}-${n}` },
    }
    return waitFor(
      async () => {
        const reply = await this.client
          .call<{ id: string }>('POST', `/api/v1/workflows/${this.workflow}/runs`, call)
          .catch(() => undefined)
        if (reply?.status === 202) return { id: reply.body.id, n }
        this.refused += 1
        return undefined
      },
      { timeoutMs: 240_000, intervalMs: 500, what: `start ${n} to be answered` },
    )
  }

  async end(): Promise<{ id: string; n: number }[]> {
    this.loading = false
    await this.pacing
    return Promise.all(this.starts)
  }
}
