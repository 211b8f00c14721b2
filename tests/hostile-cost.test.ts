import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, newUser, uniqueName } from './support/client.js'
import { type HostileInput, hostileInputs } from './support/hostile-inputs.js'
import { describeTimes, type ProcessorTimes, processorTimes, slowdown, spent } from './support/processor-time.js'
import { startTarget, type Target } from './support/target.js'

interface Seen {
  health: number[]
  run: number[]
}

const usuallyMs = 250
/** One pair that adds at most half of what is allowed is enough; else the median of so many decides, as soon as three agree. */
const pairs = 5
const majority = Math.ceil(pairs / 2)
/** On a machine that is slower than this by what else it does, the test fails rather than proves nothing. */
const mostSlowdown = 4
/** In less than this the probes see little. */
const shortestMs = 500

let target: Target
let attacker: Client
let prober: ChildProcess

async function take(): Promise<Seen> {
  prober.send('take')
  const [seen] = (await once(prober, 'message')) as [Seen]
  return seen
}

const times = (): ProcessorTimes => processorTimes(target.standalone?.processes() ?? [])
const slowest = (seen: readonly number[]): number => Math.max(0, ...seen)

/** The slowest answer to the other project while the work goes on, and what the deployment's threads spent. */
async function during(work: () => Promise<unknown>) {
  await take()
  const [from, before] = [performance.now(), times()]
  await work()
  const tookMs = performance.now() - from
  await delay(Math.max(0, shortestMs - tookMs))
  const seen = await take()
  return { health: slowest(seen.health), run: slowest(seen.run), tookMs, times: spent(before, times()) }
}

/**
 * What the input adds: the same length of time without it and with it, one right after the other, so that whatever else the
 * machine does is in both. Where threads had to wait for a processor without it already, work takes as much longer.
 */
async function addedBy(input: HostileInput, expectedMs: number) {
  const quiet = await during(() => delay(expectedMs))
  let status: number | string = 0
  const hostile = await during(async () => {
    status = await sendAndFollow(input)
  })
  const added = { health: hostile.health - quiet.health, run: hostile.run - quiet.run }
  const allowed = (input.promisedMs ?? usuallyMs) * Math.min(mostSlowdown, slowdown(quiet.times))
  const text = [
    `/healthz ${ms(quiet.health)} → ${ms(hostile.health)}`,
    `run ${ms(quiet.run)} → ${ms(hostile.run)}`,
    `allowed +${ms(allowed)}`,
    `took ${ms(hostile.tookMs)} (${status}; ${describeTimes(hostile.times)})`,
  ].join(', ')
  const most = Math.max(added.health, added.run)
  return { clear: most <= allowed / 2, kept: most <= allowed, status, tookMs: hostile.tookMs, text }
}

const ms = (value: number): string => `${Math.round(value)} ms`

/** What a run costs comes after the answer to who started it. */
async function sendAndFollow(input: HostileInput): Promise<number | string> {
  const { status, body } = await input.send(attacker, target)
  const id = (body as { id?: string } | undefined)?.id
  if (status === 202 && id !== undefined) await attacker.ended(id)
  return status
}

/** What one pair has left behind is not counted in the next. */
async function calm(): Promise<void> {
  for (let i = 0; i < 20; i++) {
    const { health, run } = await during(() => delay(200))
    if (health < usuallyMs && run < 4 * usuallyMs) return
  }
}

/** With a key: on a busy machine all of it takes longer than an access token lives. */
async function newOwner(): Promise<Client> {
  const { client } = await newUser(target)
  return client.as((await client.createKey('owner')).key)
}

beforeAll(async () => {
  target = await startTarget({ MILLRACE_RATE_LIMIT_LOGIN_ADDRESS: '100000' })
  attacker = await newOwner()
  const victim = await newOwner()
  const { name } = await victim.createWorkflow({ name: uniqueName('wf'), tasks: { a: { uses: 'noop' } } })
  prober = fork(join(import.meta.dirname, 'support', 'prober.mjs'), [target.url, victim.token ?? '', name])
  await during(() => delay(4_000))
}, 120_000)

afterAll(async () => {
  prober?.kill()
  await target?.close()
})

test('there are at least sixty of them', () => expect(hostileInputs.length).toBeGreaterThanOrEqual(60))

test.each(hostileInputs.map((input) => [input.name, input] as const))(
  "another project's requests and runs are not delayed by %s",
  { timeout: 240_000 },
  async (_, input) => {
    const seen: Awaited<ReturnType<typeof addedBy>>[] = []
    const count = (kept: boolean) => seen.filter((pair) => pair.kept === kept).length
    while (count(true) < majority && count(false) < majority) {
      if (count(false) > 0) await calm()
      seen.push(await addedBy(input, Math.max(shortestMs, seen.at(-1)?.tookMs ?? 0)))
      if (seen.length === 1 && seen[0]?.clear) break
    }
    for (const { status } of seen) expect(status).toBe(input.expected)
    if (seen[0]?.clear) return
    expect(count(true), seen.map(({ text }) => text).join('\n')).toBe(majority)
  },
)
