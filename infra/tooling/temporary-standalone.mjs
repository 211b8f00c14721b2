// A standalone on free ports and a data dir of its own, for tools that need a real API; gone when they are done.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const main = fileURLToPath(new URL('../../services/standalone/dist/main.js', import.meta.url))

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return port
}

async function untilReady(child) {
  let output = ''
  const closed = once(child, 'close')
  const ready = new Promise((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk
        if (/ready at/.test(output)) resolve(true)
      })
    }
  })
  if ((await Promise.race([ready, closed])) !== true) throw new Error(`Millrace did not start:\n${output}`)
}

/** Runs `use({ url, grpc, admin, folder, dataDir })` against it and stops it, whatever happens. */
export async function withStandalone(env, use) {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-tool-'))
  chmodSync(folder, 0o711)
  const [port, grpcPort] = [await freePort(), await freePort()]
  const admin = { email: 'admin@millrace.local', password: 'a-password-of-tools' }
  const child = spawn(process.execPath, [main], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      MILLRACE_DATA_DIR: join(folder, 'data'),
      MILLRACE_PORT: String(port),
      MILLRACE_GRPC_PORT: String(grpcPort),
      MILLRACE_ADMIN_PASSWORD: admin.password,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const closed = once(child, 'close')
  try {
    await untilReady(child)
    return await use({
      url: `http://127.0.0.1:${port}`,
      grpc: `127.0.0.1:${grpcPort}`,
      admin,
      folder,
      dataDir: join(folder, 'data'),
    })
  } finally {
    child.kill('SIGTERM')
    await closed
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Access token and refresh token of a new session. */
export async function openSession(url, credentials) {
  const answer = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
  })
  if (!answer.ok) throw new Error(`login: ${answer.status} ${await answer.text()}`)
  return await answer.json()
}

export async function login(url, credentials) {
  return (await openSession(url, credentials)).accessToken
}
