// A stack on free ports, with its data in a folder of its caller.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from './temporary-standalone.mjs'

const main = fileURLToPath(new URL('../stack/supervisor/dist/main.js', import.meta.url))
// Building MinIO and FerretDB with nothing cached is part of the first start.
const startTimeoutMs = 30 * 60_000
const admin = { email: 'admin@millrace.local', password: 'a-password-for-tests-only' }

/** `program`: the supervisor's main, perhaps of another version. */
export async function startStack(folder, settings = {}, program = main) {
  const [port, grpcPort, sinkPort, smtpPort, otlpPort] = await Promise.all(Array.from({ length: 5 }, freePort))
  const dataDir = join(folder, 'data')
  const child = spawn(process.execPath, [program], {
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
      ...settings,
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
  return { child, env, admin, exited, dataDir }
}

/** Its exit code, and which processes it left running. */
export async function stopStack({ child, exited, dataDir }) {
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
  return { code: child.exitCode, left }
}
