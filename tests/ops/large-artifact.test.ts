import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, newUser } from '../support/client.js'
import { commandLine } from '../support/standalone.js'
import { startTarget, type Target } from '../support/target.js'

const MiB = 1024 ** 2
const SIZE = Number(process.env.MILLRACE_SHOW_MIB ?? 5 * 1024) * MiB
const PART = 64 * MiB
const COUNT = Math.ceil(SIZE / PART)
const MAX_GROWTH = 150 * MiB

interface Parts {
  parts: { number: number; uploaded: boolean; url: string; etag: string }[]
}

let target: Target
let client: Client
beforeAll(async () => {
  target = await startTarget()
  client = (await newUser(target)).client
}, 180_000)
afterAll(() => target?.close())

const lengthOf = (number: number) => Math.min(PART, SIZE - (number - 1) * PART)

/** Every mebibyte says where it stands, so that none can be in another's place. */
function* contentOf(number: number): Generator<Buffer> {
  for (let done = 0; done < lengthOf(number); done += MiB) {
    const chunk = Buffer.alloc(Math.min(MiB, lengthOf(number) - done), number % 251)
    chunk.writeBigUInt64BE(BigInt((number - 1) * PART + done))
    yield chunk
  }
}

/** The process that takes content in and gives it out, with all that runs beside it there. */
function residentBytes(): number {
  const pid = target.standalone?.processes().find((one) => commandLine(String(one)).includes('edge.js'))
  return 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
}

/** The most that it grew while `work` went on. */
async function growthDuring(work: () => Promise<void>): Promise<number> {
  const before = residentBytes()
  let most = before
  const sampling = setInterval(() => {
    most = Math.max(most, residentBytes())
  }, 100)
  await work().finally(() => clearInterval(sampling))
  return most - before
}

async function send(url: string, number: number): Promise<string> {
  const init = {
    method: 'PUT',
    body: Readable.from(contentOf(number)),
    duplex: 'half',
    headers: { 'content-length': String(lengthOf(number)) },
  }
  const reply = await fetch(new URL(url, target.url), init as unknown as RequestInit)
  expect(reply.status, await reply.text()).toBe(200)
  return reply.headers.get('etag') ?? ''
}

test(`an artifact of ${SIZE / MiB} MiB goes up and down in parts, both interrupted and resumed`, async () => {
  const hash = createHash('sha256')
  for (let number = 1; number <= COUNT; number += 1) for (const chunk of contentOf(number)) hash.update(chunk)
  const sha256 = hash.digest('hex')
  const { id } = await client.want<{ id: string }>(201, 'POST', '/api/v1/artifacts', {
    body: { name: 'large.bin', size: SIZE, sha256 },
  })
  const ask = async () =>
    (await client.want<Parts>(200, 'POST', `/api/v1/artifacts/${id}/parts`, { body: { count: COUNT } })).parts
  const half = Math.floor(COUNT / 2)
  const begun = await ask()
  const up = await growthDuring(async () => {
    for (const { url, number } of begun.slice(0, half)) await send(url, number)
  })
  const cut = send(begun[half]?.url ?? '', half + 1).catch(() => 'cut')
  await delay(30)
  await target.standalone?.crash()
  await cut
  await target.standalone?.restart()
  const resumed = await ask()
  expect(resumed.filter(({ uploaded }) => uploaded).length).toBeGreaterThanOrEqual(half)
  const etags = new Map(resumed.filter(({ uploaded }) => uploaded).map(({ number, etag }) => [number, etag]))
  const rest = await growthDuring(async () => {
    for (const { url, number, uploaded } of resumed) if (!uploaded) etags.set(number, await send(url, number))
    const parts = [...etags].sort(([a], [b]) => a - b).map(([number, etag]) => ({ number, etag }))
    await client.want(200, 'POST', `/api/v1/artifacts/${id}/complete`, { body: { parts } })
  })
  const received = createHash('sha256')
  let offset = 0
  const read = async (until: number) => {
    const headers = { authorization: `Bearer ${client.token}`, range: `bytes=${offset}-` }
    const reply = await fetch(`${target.url}/api/v1/artifacts/${id}/content`, { headers })
    expect(reply.status).toBe(206)
    for await (const chunk of reply.body ?? []) {
      received.update(chunk)
      offset += chunk.length
      if (offset >= until) break
    }
  }
  const down = await growthDuring(async () => {
    await read(SIZE / 3)
    await read(SIZE)
  })
  expect([offset, received.digest('hex')]).toEqual([SIZE, sha256])
  const grown = { up, rest, down }
  console.info(
    'grew by MiB:',
    Object.fromEntries(Object.entries(grown).map(([what, n]) => [what, Math.round(n / MiB)])),
  )
  for (const [what, bytes] of Object.entries(grown)) expect(bytes, what).toBeLessThan(MAX_GROWTH)
}, 3_600_000)
