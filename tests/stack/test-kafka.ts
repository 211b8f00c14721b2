import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { kafkaSpec, type ServerProcess, startServer } from '@millrace/stack-servers'
import { freePort } from '@millrace/testkit'

export interface TestKafka {
  brokers: string[]
  kill(): Promise<void>
  /** Again, on the same port and data. */
  start(): Promise<void>
  destroy(): Promise<void>
}

/** A broker of its own for a file of tests. */
export async function testKafka(): Promise<TestKafka> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-kafka-'))
  const [port, controllerPort] = [await freePort(), await freePort()]
  const spec = await kafkaSpec({ directory: join(folder, 'data'), port, controllerPort })
  const start = () => startServer(spec, join(folder, 'kafka.log'))
  let server: ServerProcess = await start()
  return {
    brokers: [`127.0.0.1:${port}`],
    kill: () => server.kill(),
    async start() {
      server = await start()
    },
    async destroy() {
      await server.kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
