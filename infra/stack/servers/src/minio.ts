import { join } from 'node:path'
import { cached } from './cached.js'
import { answersOk } from './health.js'
import { runTool } from './run-tool.js'
import type { ServerSpec } from './server-spec.js'

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
