import { schedulerServiceDefinition } from '@millrace/contracts'
import { notFound, permissionDenied, rateLimited } from '@millrace/errors'
import { testService, waitFor } from '@millrace/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { createGrpcClient, type GrpcRefusal } from '../src/index.js'
import { identity, startScheduler } from './support.js'

const known = { actor: 'user:1', projectId: 'p1', role: 'operator', ip: '127.0.0.1', requestId: '' }
const errors: Record<string, Error> = {
  forbidden: permissionDenied('role_required', 'no'),
  many: rateLimited('too_many', 'no', 1),
  absent: notFound('run_not_found', 'no'),
}

async function start(validate = async () => identity) {
  const refusals: GrpcRefusal[] = []
  const throwing = (runId: string): never => {
    throw errors[runId] ?? new Error('unexpected')
  }
  const handlers = {
    getRun: async ({ runId }: { runId: string }) => throwing(runId),
    watchRun: async function* ({ runId }: { runId: string }) {
      yield { run: { id: 'first' } }
      throwing(runId)
    },
  }
  const auth = { kind: 'public', validate, identity: testService('scheduler') } as const
  const more = { onRefusal: (refusal: GrpcRefusal) => void refusals.push(refusal) }
  return { refusals, ...(await startScheduler(handlers, auth, 5000, more)) }
}

test('who is known and refused is told of, with method, reason and address', async () => {
  const { client, refusals } = await start()
  for (const runId of ['forbidden', 'many', 'absent']) await expect(client.getRun({ runId })).rejects.toThrow()
  await expect(client.watchRun({ runId: 'forbidden' })[Symbol.asyncIterator]().return?.()).resolves.toBeDefined()
  expect(refusals).toEqual([
    { ...known, target: 'SchedulerService/GetRun:role_required' },
    { ...known, target: 'SchedulerService/GetRun:too_many' },
  ])
})

test('a refusal in the middle of a stream counts too', async () => {
  const { client, refusals } = await start()
  const stream = client.watchRun({ runId: 'forbidden' })[Symbol.asyncIterator]()
  await stream.next()
  await expect(stream.next()).rejects.toMatchObject({ code: 'permission_denied' })
  await waitFor(() => refusals.length === 1)
  expect(refusals).toEqual([{ ...known, target: 'SchedulerService/WatchRun:role_required' }])
})

test('of a service its name is told, of a stranger nothing', async () => {
  const refuse = async () => {
    throw permissionDenied('nobody', 'no')
  }
  const { client, refusals, address } = await start(refuse)
  await expect(client.getRun({ runId: 'forbidden' })).rejects.toMatchObject({ reason: 'nobody' })
  expect(refusals).toEqual([])
  const workflow = createGrpcClient(schedulerServiceDefinition, address, {
    serviceToken: () => testService('workflow').tokenFor('scheduler'),
  })
  onTestFinished(() => workflow.close())
  await expect(workflow.getRun({ runId: 'any' })).rejects.toMatchObject({ reason: 'forbidden_service' })
  const target = 'SchedulerService/GetRun:forbidden_service'
  expect(refusals).toMatchObject([{ actor: 'service:workflow', projectId: '', target }])
})
