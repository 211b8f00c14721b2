import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cached } from './cached.js'
import { answersOk } from './health.js'
import { runTool } from './run-tool.js'
import type { ServerSpec } from './server-spec.js'

const accountsSource = fileURLToPath(new URL('../minio-accounts', import.meta.url))
// Raised when its Go sources change: the cache is by name.
const accountsVersion = '1'
const version = 'v0.0.0-20260212201848-7aac2a2c5b7c'

export interface MinioOptions {
  directory: string
  port: number
  accessKey: string
  secretKey: string
}

/** Built once, in some four minutes. */
export async function installMinio(): Promise<string> {
  const folder = await cached(`minio-${version}`, async (draft) => {
    await runTool('go', ['install', `github.com/minio/minio@${version}`], {
      // A shared module cache is fine; modcacherw keeps a cache dir of its own deletable.
      env: { GOBIN: draft, GOFLAGS: '-buildvcs=false -modcacherw' },
      purpose: 'to build MinIO, the object store of the stack',
    })
  })
  return join(folder, 'minio')
}

export async function minioSpec(options: MinioOptions): Promise<ServerSpec> {
  const { directory, port, accessKey, secretKey } = options
  const address = `127.0.0.1:${port}`
  return {
    name: 'minio',
    command: await installMinio(),
    args: ['server', '--quiet', '--address', address, '--console-address', '127.0.0.1:0', directory],
    env: {
      PATH: process.env.PATH,
      HOME: directory,
      MINIO_ROOT_USER: accessKey,
      MINIO_ROOT_PASSWORD: secretKey,
      MINIO_BROWSER: 'off',
      MINIO_UPDATE: 'off',
    },
    address,
    healthy: () => answersOk(`http://${address}/minio/health/ready`),
    startTimeoutMs: 60_000,
    stopTimeoutMs: 10_000,
  }
}

export interface MinioAccount {
  name: string
  password: string
  /** Its own, made with it; no other is open to it. */
  bucket: string
}

/** Repeating it changes nothing. */
export async function makeMinioAccount(server: MinioOptions, { name, password, bucket }: MinioAccount): Promise<void> {
  const purpose = 'to make the account of the artifact service on MinIO'
  const folder = await cached(`minio-accounts-${accountsVersion}`, async (draft) => {
    const module = join(draft, 'source')
    await cp(accountsSource, module, { recursive: true })
    const env = { GOFLAGS: '-buildvcs=false -modcacherw' }
    await runTool('go', ['build', '-o', join(draft, 'minio-accounts'), '.'], { cwd: module, env, purpose })
  })
  await runTool(join(folder, 'minio-accounts'), [`127.0.0.1:${server.port}`, bucket, name], {
    env: { MINIO_ROOT_USER: server.accessKey, MINIO_ROOT_PASSWORD: server.secretKey, ACCOUNT_PASSWORD: password },
    purpose,
  })
}
