// make test-stack: the adapters' contract suites on real servers, then one stack on free ports and a temporary data dir,
// and on it the end-to-end suite and the faults. Ends with one line: "N passed, N failed". An argument picks files by name.
import './check-node.mjs'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureChromium } from './ensure-chromium.mjs'
import { readReport, reportersTo, tellSecondTry, withSecondTry } from './vitest-report.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))
const { ensureBuilt, ensureConsoleBuilt, ensureInstalled } = await import('./workspace.mjs')
ensureInstalled(root)
ensureBuilt(root)
ensureConsoleBuilt(root)
ensureChromium()

// Building MinIO and FerretDB with nothing cached is part of the first start.
const startTimeoutMs = 30 * 60_000
const picked = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'millrace-stack-'))
chmodSync(folder, 0o711)
const admin = { email: 'admin@millrace.local', password: 'a-password-for-tests-only' }

const testsIn = (path) =>
  existsSync(join(root, path))
    ? readdirSync(join(root, path))
        .filter((name) => name.endsWith('.test.ts'))
        .map((name) => join(path, name))
    : []
const contracts = ['pkg', 'services', 'infra'].flatMap((parent) =>
  readdirSync(join(root, parent)).flatMap((name) => testsIn(join(parent, name, 'tests', 'stack'))),
)

/** End-to-end files that are not for a stack, and why. All others run on it; what of them needs a standalone says so itself. */
const notForTheStack = {
  'audited-mutations.test.ts': 'drains the worker and replaces the signing key, which all other files need',
  'crash.test.ts': 'kills and restarts a standalone of its own; the faults below do so to the stack',
  'chaos-smoke.test.ts': 'plays faults on a standalone of its own',
  'demo.test.ts': 'starts standalones of its own',
  'executors.test.ts':
    'needs a deployment that allows shell tasks and private addresses, which the hostile suite must not find',
  'load.test.ts': 'loads a standalone of its own',
}

function endToEnd() {
  const all = testsIn('tests')
  const known = new Set(all.map((file) => basename(file)))
  const unknown = Object.keys(notForTheStack).filter((name) => !known.has(name))
  if (unknown.length > 0) throw new Error(`test-stack leaves out files that are not there: ${unknown.join(', ')}`)
  for (const [name, why] of Object.entries(notForTheStack)) console.log(`left out: tests/${name} ${why}`)
  return all.filter((file) => !(basename(file) in notForTheStack))
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address()
      probe.close(() => resolve(port))
    })
  })
}

async function runTests(title, files, env) {
  const chosen = files.filter((file) => picked.length === 0 || picked.some((name) => file.includes(name)))
  if (chosen.length === 0) return { title, passed: 0, failed: 0 }
  console.log(`\n── ${title}`)
  const started = Date.now()
  const first = await runVitest(title, chosen, env)
  const result = await withSecondTry(root, first, (again) => runVitest(`${title} again`, again, env))
  return { title, seconds: Math.round((Date.now() - started) / 1000), ...result }
}

async function runVitest(title, files, env) {
  const report = join(folder, `${title.replaceAll(' ', '-')}.json`)
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const child = spawn(
    process.execPath,
    [vitest, 'run', '-c', 'vitest.stack.config.ts', ...reportersTo(report), ...files],
    {
      cwd: root,
      stdio: 'inherit',
      env: { MILLRACE_TEST_PATIENCE: '10', ...process.env, ...env },
    },
  )
  const [code] = await once(child, 'exit')
  return readReport(report, code === 0)
}

async function startStack() {
  const [port, grpcPort, sinkPort, smtpPort, otlpPort] = await Promise.all(Array.from({ length: 5 }, freePort))
  const dataDir = join(folder, 'data')
  const child = spawn(process.execPath, [join(root, 'infra/stack/supervisor/dist/main.js')], {
    env: {
      ...process.env,
      MILLRACE_PORT: String(port),
      MILLRACE_GRPC_PORT: String(grpcPort),
      MILLRACE_DATA_DIR: dataDir,
      MILLRACE_ADMIN_EMAIL: admin.email,
      MILLRACE_ADMIN_PASSWORD: admin.password,
      MILLRACE_EGRESS_ALLOW: `127.0.0.1:${sinkPort}`,
      MILLRACE_SMTP_URL: `smtp://127.0.0.1:${smtpPort}`,
      // As the end-to-end suite sets them for a standalone of its own.
      MILLRACE_WEBHOOK_RETRY_SCHEDULE: '200ms,500ms,1s,1s,2s,2s,5s,5s',
      MILLRACE_RATE_LIMIT_LOGIN_ADDRESS: '100000',
      MILLRACE_RATE_LIMIT_HOOKS: '20',
      // Two workers, 200 tasks at once.
      MILLRACE_WORKER_CONCURRENCY: '120',
      // Traced is what a test asks to be traced; of anything else nothing is sent.
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${otlpPort}`,
      OTEL_TRACES_SAMPLER: 'parentbased_always_off',
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_LOGS_EXPORTER: 'none',
      OTEL_BSP_SCHEDULE_DELAY: '500',
      MILLRACE_LOG_LEVEL: process.env.MILLRACE_LOG_LEVEL ?? 'info',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  let said = ''
  child.stdout.on('data', (chunk) => {
    said += chunk
    process.stdout.write(chunk)
  })
  const until = Date.now() + startTimeoutMs
  while (!/ready at/.test(said)) {
    if (child.exitCode !== null || Date.now() > until) throw new Error('the stack did not start')
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  const env = {
    MILLRACE_TARGET_URL: `http://127.0.0.1:${port}`,
    MILLRACE_TARGET_GRPC: `127.0.0.1:${grpcPort}`,
    MILLRACE_TARGET_ADMIN_EMAIL: admin.email,
    MILLRACE_TARGET_ADMIN_PASSWORD: admin.password,
    MILLRACE_TARGET_SINK_PORT: String(sinkPort),
    MILLRACE_TARGET_SMTP_PORT: String(smtpPort),
    MILLRACE_TARGET_OTLP_PORT: String(otlpPort),
    MILLRACE_TARGET_STACK_DIR: join(dataDir, 'stack'),
  }
  return { child, env, exited, dataDir }
}

/** Stopped cleanly, and nothing of it left running. */
async function stopStack({ child, exited, dataDir }) {
  child.kill('SIGTERM')
  await exited
  const left = readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(dataDir)
    } catch {
      return false
    }
  })
  console.log(`\nthe stack ended with ${child.exitCode}, ${left.length} processes left`)
  return { title: 'a clean end', passed: 1, failed: child.exitCode === 0 && left.length === 0 ? 0 : 1 }
}

async function runAll() {
  const results = [await runTests('contracts of the adapters', contracts, {})]
  console.log('\n── the stack')
  const stack = await startStack()
  // Whatever ends this process, the stack ends with it.
  const stop = () => stack.child.kill('SIGTERM')
  process.once('exit', stop)
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
  try {
    results.push(await runTests('end to end', endToEnd(), stack.env))
    results.push(await runTests('console', [join('tests', 'console', 'stack-walk.test.ts')], stack.env))
    results.push(await runTests('faults', testsIn(join('tests', 'stack')), stack.env))
  } finally {
    results.push(await stopStack(stack))
    process.off('exit', stop)
  }
  return results
}

let results
try {
  results = await runAll()
} catch (error) {
  results = [{ title: error.message, passed: 0, failed: 1 }]
}
const sum = (key) => results.reduce((all, result) => all + result[key], 0)
console.log('')
for (const { title, passed, failed, seconds } of results) {
  console.log(`  ${title.padEnd(28)}${passed} passed, ${failed} failed${seconds === undefined ? '' : `, ${seconds} s`}`)
}
if (sum('failed') === 0) rmSync(folder, { recursive: true, force: true })
else console.log(`\nlogs of the stack: ${join(folder, 'data', 'stack', 'logs')}`)
tellSecondTry(results.flatMap(({ secondTry = [] }) => secondTry))
console.log(`\n${sum('passed')} passed, ${sum('failed')} failed`)
process.exit(sum('failed') === 0 ? 0 : 1)
