// What the gateway's question to iam costs (`Authorization/Check`): the time that it adds to a request, and how many of
// them one core answers. iam is a process of its own; the second figure is by the CPU time that this process used, so
// that it means the same on a busy machine.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { authorizationDefinition } from '@millrace/contracts'
import { startPostgres } from '@millrace/embedded-postgres'
import { createGrpcClient } from '@millrace/grpc'
import { formatTrustedServices, generateServiceKeySet } from '@millrace/identity'
import { freePort } from '@millrace/testkit'

const alone = Number(process.env.BENCH_ALONE ?? 3_000)
const seconds = Number(process.env.BENCH_SECONDS ?? 10)
const inFlight = 32
const password = 'correct-horse-battery-staple'
const folder = mkdtempSync(join(tmpdir(), 'millrace-bench-check-'))
chmodSync(folder, 0o711)

const postgres = await startPostgres({ dataDir: join(folder, 'postgres') })
const [http, grpc] = [await freePort(), await freePort()]
const keys = generateServiceKeySet()
const iam = spawn(process.execPath, [join(import.meta.dirname, '../../services/iam/dist/main.js')], {
  env: {
    ...process.env,
    DATABASE_URL: postgres.url,
    MILLRACE_SERVICE_HTTP_PORT: String(http),
    MILLRACE_SERVICE_GRPC_PORT: String(grpc),
    MILLRACE_SERVICE_KEY: keys.iam.privateKey,
    MILLRACE_SERVICE_PUBLIC_KEYS: formatTrustedServices(keys),
    MILLRACE_MASTER_KEY: randomBytes(32).toString('base64'),
    MILLRACE_ADMIN_PASSWORD: password,
    MILLRACE_MAIL_DIR: folder,
    MILLRACE_RATE_LIMIT_REQUESTS: '100000000',
    MILLRACE_LOG_LEVEL: 'error',
  },
  stdio: ['ignore', 'inherit', 'inherit'],
})

/** Seconds of CPU that iam has used so far. */
function cpuOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

async function up() {
  for (let i = 0; i < 300; i++) {
    const reply = await fetch(`http://127.0.0.1:${http}/readyz`).catch(() => undefined)
    if (reply?.ok) return
    await delay(100)
  }
  throw new Error('iam did not start')
}

/** As a gateway asks. */
const asked = (token) => ({
  attributes: {
    request: {
      http: { id: 'r-1', method: 'GET', path: '/api/v1/runs?limit=10', headers: { authorization: `Bearer ${token}` } },
    },
  },
})

const percentile = (sorted, p) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))]

async function main() {
  await up()
  const client = createGrpcClient(authorizationDefinition, `127.0.0.1:${grpc}`)
  const login = await fetch(`http://127.0.0.1:${http}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'admin@millrace.local', password }),
  })
  const { accessToken } = await login.json()
  const request = asked(accessToken)
  const ask = async () => {
    const answer = await client.check(request)
    if (answer.status?.code !== 0 || !answer.okResponse?.headers?.length) throw new Error('a good token was refused')
  }
  for (let i = 0; i < 2_000; i++) await ask()
  const times = []
  for (let i = 0; i < alone; i++) {
    const began = performance.now()
    await ask()
    times.push(performance.now() - began)
  }
  times.sort((a, b) => a - b)
  const until = performance.now() + seconds * 1000
  const cpuBefore = cpuOf(iam.pid)
  const began = performance.now()
  let answered = 0
  const loop = async () => {
    while (performance.now() < until) {
      await ask()
      answered += 1
    }
  }
  await Promise.all(Array.from({ length: inFlight }, loop))
  const wall = (performance.now() - began) / 1000
  const cpu = cpuOf(iam.pid) - cpuBefore
  client.close()
  const [core] = cpus()
  console.log(`${cpus().length} × ${core?.model}, Node ${process.version}, load ${loadavg()[0].toFixed(1)}`)
  console.log('| figure | value |\n|---|---|')
  console.log(
    `| Check alone, p50 / p99 ms | ${percentile(times, 0.5).toFixed(2)} / ${percentile(times, 0.99).toFixed(2)} |`,
  )
  console.log(`| Checks a second, ${inFlight} in flight | ${Math.round(answered / wall)} |`)
  console.log(`| Checks a second of iam's CPU time | ${Math.round(answered / cpu)} |`)
}

try {
  await main()
} finally {
  iam.kill('SIGTERM')
  await once(iam, 'close')
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}
