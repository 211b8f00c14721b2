// Millrace and its peers, one after another in one run: node bench/peers/main.mjs [engine …]. Build first (make build).
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { cpus, release, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { startPostgres } from '@millrace/embedded-postgres'
import { quantile, rounded, sleep } from './lib.mjs'

const here = import.meta.dirname
const rounds = process.env.BENCH_ROUNDS ?? '5'
const engines = ['dbos', 'bullmq', 'graphile']
const packages = { dbos: '@dbos-inc/dbos-sdk', bullmq: 'bullmq', graphile: 'graphile-worker' }
const workloads = ['sequence', 'trigger', 'fan-out', 'one-task', 'three-task', 'three-task-calls', 'counters', 'idle']
const asked = process.argv.slice(2)
const wanted = (engine) => asked.length === 0 || asked.includes(engine)

/** Lines of JSON that a measured process writes. */
async function figuresOf(script, args, env = {}) {
  const child = spawn(process.execPath, [script, ...args], {
    cwd: here,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  const results = new Map()
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith('{')) continue
    process.stderr.write(`${line}\n`)
    for (const [figure, value] of Object.entries(JSON.parse(line).figures)) {
      results.set(figure, [...(results.get(figure) ?? []), value])
    }
  }
  const [code] = await ended
  if (code !== 0) throw new Error(`${script} ${args[0] ?? ''} ended with ${code}`)
  return results
}

const measureMillrace = () =>
  figuresOf(join(here, '../dist/main.js'), workloads, { BENCH_JSON: '1', BENCH_ROUNDS: rounds })

async function measurePeer(engine) {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-peer-'))
  chmodSync(folder, 0o711)
  const server = engine === 'bullmq' ? await startRedis(folder) : await onPostgres(folder)
  try {
    return await figuresOf(join(here, 'engine.mjs'), [engine, rounds, JSON.stringify(server.facts)])
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The same server as Millrace gets, fsync and synchronous_commit on. */
async function onPostgres(folder) {
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres') })
  return { facts: { postgresUrl: postgres.url }, stop: () => postgres.stop() }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

/** Every command is on disk before it is answered; no snapshots. */
async function startRedis(folder) {
  const port = await freePort()
  const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', '']
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, ...durable]
  const child = spawn('redis-server', args, { stdio: 'ignore' })
  const failed = once(child, 'error').then(([error]) => {
    throw new Error(`BullMQ needs a redis-server on the PATH (Debian: apt-get install redis-server): ${error.message}`)
  })
  await Promise.race([sleep(500), failed])
  return {
    facts: { redisPort: port },
    async stop() {
      child.kill()
      await once(child, 'close')
    },
  }
}

function install() {
  if (existsSync(join(here, 'node_modules'))) return
  execFileSync('npm', ['install', '--no-package-lock', '--no-audit', '--no-fund'], {
    cwd: here,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

const versionOf = (name) => JSON.parse(readFileSync(join(here, 'node_modules', name, 'package.json'), 'utf8')).version

const lowerIsBetter = (figure) => !figure.includes('runs/s')

/** Above 1 = Millrace is better by that factor. */
function ratio(figure, ours, theirs) {
  if (ours === undefined) return ''
  return ` (${rounded(lowerIsBetter(figure) ? theirs / ours : ours / theirs)}×)`
}

function table(results) {
  const columns = [...results.keys()]
  const figures = [...new Set(columns.flatMap((engine) => [...results.get(engine).keys()]))]
  const medianOf = (engine, figure) => {
    const values = results.get(engine)?.get(figure)
    return values === undefined ? undefined : quantile(values, 0.5)
  }
  const cell = (engine, figure) => {
    const value = medianOf(engine, figure)
    if (value === undefined) return '–'
    return `${value}${engine === 'millrace' ? '' : ratio(figure, medianOf('millrace', figure), value)}`
  }
  const rows = figures.map((figure) => `| ${figure} | ${columns.map((engine) => cell(engine, figure)).join(' | ')} |`)
  return [
    `| median of ${rounds} | ${columns.join(' | ')} |`,
    `|---|${columns.map(() => '---|').join('')}`,
    ...rows,
  ].join('\n')
}

install()
const results = new Map()
if (wanted('millrace')) results.set('millrace', await measureMillrace())
for (const engine of engines)
  if (wanted(engine)) results.set(`${engine} ${versionOf(packages[engine])}`, await measurePeer(engine))
const [core] = cpus()
console.log(`${cpus().length} × ${core?.model}, Linux ${release()}, Node ${process.version}\n\n${table(results)}`)
