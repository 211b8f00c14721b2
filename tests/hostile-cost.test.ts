import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, newUser, uniqueName } from './support/client.js'
import { hostileInputs } from './support/hostile-inputs.js'
import { startTarget, type Target } from './support/target.js'

interface Seen {
  health: number[]
  run: number[]
}

const promisedMs = 250
/** A machine that is busy delays anybody at times; what an input costs, it costs each time. */
const tries = 4

let target: Target
let attacker: Client
let prober: ChildProcess
let allowed: { health: number; run: number }

async function take(): Promise<Seen> {
  prober.send('take')
  const [seen] = (await once(prober, 'message')) as [Seen]
  return seen
}

/** How much longer work takes here than on a machine of its own: wall time by processor time. */
function slowdown(): number {
  const from = performance.now()
  const before = process.cpuUsage()
  while (process.cpuUsage(before).user < 200_000);
  return Math.max(1, (performance.now() - from) / 200)
}

/** What one try has left behind is not counted in the next. */
async function calm(): Promise<void> {
  for (let i = 0; i < 50; i++) {
    await delay(200)
    const { run } = await take()
    if (run.length > 1 && slowest(run) <= allowed.run) return
  }
}

const slowest = (times: readonly number[]): number => Math.max(0, ...times)

beforeAll(async () => {
  target = await startTarget({ MILLRACE_RATE_LIMIT_LOGIN_ADDRESS: '100000' })
  attacker = (await newUser(target)).client
  const victim = (await newUser(target)).client
  const { name } = await victim.createWorkflow({ name: uniqueName('wf'), tasks: { a: { uses: 'noop' } } })
  prober = fork(join(import.meta.dirname, 'support', 'prober.mjs'), [target.url, victim.token ?? '', name])
  await delay(2_000)
  await take()
  await delay(4_000)
  const quiet = await take()
  expect(quiet.run.length).toBeGreaterThan(3)
  // Without anybody else: the machine's own unrest is not the input's doing.
  const promised = promisedMs * slowdown()
  allowed = { health: slowest(quiet.health) + promised, run: slowest(quiet.run) + promised }
}, 120_000)

afterAll(async () => {
  prober?.kill()
  await target?.close()
})

test('there are at least sixty of them', () => expect(hostileInputs.length).toBeGreaterThanOrEqual(60))

test.each(hostileInputs.map((input) => [input.name, input] as const))(
  "another project's requests and runs are not delayed by %s",
  { timeout: 120_000 },
  async (_, input) => {
    let best: { health: number; run: number; status: number } | undefined
    for (let i = 0; i < tries; i++) {
      if (i > 0) await calm()
      await take()
      const { status } = await input.send(attacker)
      await delay(100)
      const seen = await take()
      best = { health: slowest(seen.health), run: slowest(seen.run), status }
      if (best.health <= allowed.health && best.run <= allowed.run) break
    }
    expect(best?.status).not.toBe(500)
    expect(best?.health, 'GET /healthz').toBeLessThanOrEqual(allowed.health)
    expect(best?.run, 'a run of one task').toBeLessThanOrEqual(allowed.run)
  },
)
