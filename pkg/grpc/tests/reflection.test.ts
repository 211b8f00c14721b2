import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type ClientDuplexStream, credentials, makeGenericClientConstructor } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import { expect, onTestFinished, test } from 'vitest'
import { identity, startScheduler } from './support.js'

const packageDir = dirname(createRequire(import.meta.url).resolve('@grpc/reflection/package.json'))

async function reflect(address: string, request: object): Promise<Record<string, unknown>> {
  const definition = loadSync(join(packageDir, 'build/proto/grpc/reflection/v1/reflection.proto'), { defaults: true })
  const Reflection = makeGenericClientConstructor(definition['grpc.reflection.v1.ServerReflection'] as never, 'x')
  const client = new Reflection(address, credentials.createInsecure())
  onTestFinished(() => client.close())
  const open = client.ServerReflectionInfo as () => ClientDuplexStream<object, Record<string, unknown>>
  const stream = open.call(client)
  return new Promise((resolve, reject) => {
    stream.on('data', (answer) => {
      resolve(answer)
      stream.end()
    })
    stream.on('error', reject)
    stream.write(request)
  })
}

test('reflection names what the listener serves and nothing else, without a credential', async () => {
  const { address } = await startScheduler({}, { kind: 'public', validate: async () => identity })
  const { listServicesResponse } = await reflect(address, { listServices: '' })
  const names = (listServicesResponse as { service: { name: string }[] }).service.map(({ name }) => name)
  expect(names).toContain('millrace.scheduler.v1.SchedulerService')
  expect(names.join()).not.toMatch(/Internal|Dispatch|iam/)
})

test('reflection gives the files that a service is described in', async () => {
  const { address } = await startScheduler({}, { kind: 'public', validate: async () => identity })
  const answer = await reflect(address, { fileContainingSymbol: 'millrace.scheduler.v1.SchedulerService' })
  const files = (answer.fileDescriptorResponse as { fileDescriptorProto: Buffer[] }).fileDescriptorProto
  expect(Buffer.concat(files).toString('latin1')).toContain('WatchRun')
})
