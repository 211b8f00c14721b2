import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cached } from './cached.js'
import { accepts } from './health.js'
import { runTool } from './run-tool.js'
import type { ServerSpec } from './server-spec.js'

const source = fileURLToPath(new URL('../ferretdb', import.meta.url))
// Raised also when its Go sources change: the cache is by name.
const version = '1.24.2-5'

export interface FerretOptions {
  directory: string
  port: number
  /** Who may use it; everybody unless set. */
  account?: { name: string; password: string }
}

export async function installFerret(): Promise<string> {
  const folder = await cached(`ferretdb-${version}`, async (draft) => {
    const module = join(draft, 'source')
    await cp(source, module, { recursive: true })
    await runTool('go', ['build', '-o', join(draft, 'ferretdb'), '.'], {
      cwd: module,
      env: { GOFLAGS: '-buildvcs=false -modcacherw' },
      purpose: 'to build FerretDB, the document store of the stack',
    })
  })
  return join(folder, 'ferretdb')
}

export async function ferretSpec({ directory, port, account }: FerretOptions): Promise<ServerSpec> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const address = `127.0.0.1:${port}`
  return {
    name: 'ferretdb',
    background: true,
    command: await installFerret(),
    args: [address, directory],
    env: {
      PATH: process.env.PATH,
      HOME: directory,
      FERRETDB_ACCOUNT: account?.name,
      FERRETDB_PASSWORD: account?.password,
    },
    address,
    healthy: () => accepts('127.0.0.1', port),
    startTimeoutMs: 30_000,
    stopTimeoutMs: 5_000,
  }
}
