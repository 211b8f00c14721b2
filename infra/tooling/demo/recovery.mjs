// make demo-recovery: payments are booked while a worker, the scheduler and PostgreSQL are killed (SIGKILL), one after the other.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { withStandalone } from '../temporary-standalone.mjs'
import { connect } from './api.mjs'
import { startServer } from './http-server.mjs'

const runs = 60

const post = (path) => ({
  uses: 'http',
  with: {
    method: 'POST',
    url: `\${{ input.ledger }}${path}`,
    headers: { 'idempotency-key': '${{ task.idempotencyKey }}' },
    body: { payment: '${{ input.payment }}' },
  },
  retry: { maxAttempts: 5, backoff: 'fixed', delay: '300ms' },
})
const workflow = {
  name: 'payment',
  tasks: {
    reserve: post('/reserve'),
    wait: { needs: ['reserve'], uses: 'sleep', with: { duration: '1500ms' } },
    book: { needs: ['wait'], ...post('/book') },
  },
}

/** A ledger that books each key once, as whoever takes payments does, and counts what came again. */
function openLedger() {
  const asked = []
  return {
    asked,
    answer: ({ url, headers }) => {
      asked.push(`${url} ${headers['idempotency-key']}`)
      // Slow enough to be killed in between.
      return { status: 200, delayMs: 900 }
    },
  }
}

export async function demoRecovery(say) {
  const { asked, answer } = openLedger()
  const server = await startServer(answer)
  try {
    say('1. Millrace starts, in a folder of its own.')
    const env = { MILLRACE_EGRESS_ALLOW: server.address }
    return await withStandalone(env, (standalone) => tell(say, standalone, server.url, asked))
  } finally {
    server.close()
  }
}

async function tell(say, standalone, ledger, asked) {
  const api = await connect(standalone)
  await api.call('POST', '/api/v1/workflows', workflow)
  say(
    `2. ${runs} payments, each reserve → wait 1.5 s → book; every call to the ledger carries its task's idempotency key.`,
  )
  const ids = []
  const victims = [
    { name: 'the worker', find: () => childOf(standalone.dataDir, 'worker.js') },
    { name: 'the scheduler', find: () => childOf(standalone.dataDir, 'core.js') },
    { name: 'PostgreSQL', find: () => postmasterOf(standalone.dataDir) },
  ]
  const outages = []
  for (const [index, victim] of victims.entries()) {
    const items = Array.from({ length: runs / 3 }, (_, n) => ({ input: { ledger, payment: index * 1000 + n } }))
    const key = { 'idempotency-key': `payments-${index}` }
    const started = await api.patiently('POST', '/api/v1/workflows/payment/runs/batch', { items }, key)
    ids.push(...started.items.map(({ id }) => id))
    await delay(700)
    outages.push(await kill(victim, say, index + 3))
  }
  const ended = await Promise.all(ids.map((id) => api.runEnded(id)))
  return report(say, ended, asked, outages)
}

async function kill({ name, find }, say, step) {
  const pid = await until(find)
  process.kill(pid, 'SIGKILL')
  const killedAt = Date.now()
  say(
    `${step}. kill -9 ${pid}: the ${name} is gone, with ${name === 'PostgreSQL' ? 'every connection' : 'all it held in memory'}.`,
  )
  const next = await until(() => {
    const found = find()
    return found !== pid && found
  })
  const awayMs = Date.now() - killedAt
  say(`   The supervisor started another one (${next}) after ${awayMs} ms.`)
  return { name, awayMs }
}

function report(say, ended, asked, outages) {
  const succeeded = ended.filter(({ status }) => status === 'succeeded').length
  const attempts = ended.flatMap(({ tasks }) => tasks).filter(({ attempt }) => attempt > 1).length
  const distinct = new Set(asked).size
  const lost = ended.length - succeeded
  const wrong = distinct - 2 * ended.length
  say('6. What happened:')
  say(`   runs started ${ended.length}, succeeded ${succeeded}, lost ${lost}`)
  say(`   calls that the ledger took: ${asked.length}, with ${distinct} keys (${2 * ended.length} expected)`)
  say(
    `   executed again after a kill, with the same key: ${asked.length - distinct}; tasks that needed a second attempt: ${attempts}`,
  )
  say('   Every transition was written once; a task may execute again, and its key makes that harmless.')
  return { started: ended.length, succeeded, lost, wrong, repeated: asked.length - distinct, outages }
}

async function until(find, timeoutMs = 60_000) {
  const end = Date.now() + timeoutMs
  for (;;) {
    const found = find()
    if (found) return found
    if (Date.now() > end) throw new Error('no such process')
    await delay(20)
  }
}

/** Every child of this Millrace names its data dir. */
function childOf(dataDir, script) {
  const lines = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,args='], { encoding: 'utf8' }).split('\n')
  const line = lines.find((text) => text.includes(dataDir) && text.includes(script))
  return line && Number(line.trim().split(' ')[0])
}

/** The file names another process for a moment while a server starts, and says when it answers. */
function postmasterOf(dataDir) {
  try {
    const [pid, , , , , , , status] = readFileSync(join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8').split('\n')
    const args = execFileSync('ps', ['-p', pid, '-ww', '-o', 'args='], { encoding: 'utf8' })
    return status?.trim() === 'ready' && args.includes('postgres -D') ? Number(pid) : undefined
  } catch {
    return undefined
  }
}
