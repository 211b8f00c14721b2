import { iamServiceDefinition } from '@millrace/contracts'
import { createGrpcClient, type GrpcClient } from '@millrace/grpc'
import type { ServiceName } from '@millrace/identity'
import { testService } from '@millrace/testkit'
import { v7 } from 'uuid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Iam, startIam } from './support.js'

let iam: Iam
let client: GrpcClient<typeof iamServiceDefinition>
beforeAll(async () => {
  iam = await startIam()
  client = as('workflow')
})
afterAll(async () => {
  client?.close()
  await iam.stop()
})

const as = (service: ServiceName) =>
  createGrpcClient(iamServiceDefinition, `127.0.0.1:${iam.service.grpcPort}`, {
    serviceToken: () => testService(service).tokenFor('iam'),
  })

test('members and keys of a project have names in it, and nobody else has', async () => {
  const [named, other] = [await iam.newUser(), await iam.newUser()]
  const projectId: string = named.project.id
  const { body } = await iam.api('POST', '/api/v1/api-keys', {
    token: named.token,
    body: { name: 'ci', role: 'viewer' },
  })
  const keyId: string = body.id
  await iam.pool.query('update users set name = $2 where id = $1', [named.id, 'Ada'])
  const ask = async (project: string) => {
    const subjects = [
      `user:${named.id}`,
      `user:${other.id}`,
      `key:${keyId}`,
      'user:x',
      'service:worker',
      `user:${v7()}`,
    ]
    return (await client.getSubjectNames({ projectId: project, subjects })).names
  }
  expect(await ask(projectId)).toEqual({ [`user:${named.id}`]: 'Ada', [`key:${keyId}`]: 'ci' })
  expect(await ask(v7())).toEqual({})
  expect(await ask('x')).toEqual({})

  // As the list of members shows who gave no name; a key that was revoked is still the one that was used.
  await iam.pool.query('update users set name = null where id = $1', [named.id])
  await iam.api('DELETE', `/api/v1/api-keys/${keyId}`, { token: named.token })
  expect(await ask(projectId)).toEqual({ [`user:${named.id}`]: named.email, [`key:${keyId}`]: 'ci' })
})

test('nobody but the workflow service is answered, and no endless list is', async () => {
  const worker = as('worker')
  await expect(worker.getSubjectNames({ projectId: v7(), subjects: [] })).rejects.toMatchObject({
    code: 'permission_denied',
  })
  worker.close()
  const subjects = Array.from({ length: 1001 }, () => 'x')
  await expect(client.getSubjectNames({ projectId: v7(), subjects })).rejects.toMatchObject({
    reason: 'too_many_subjects',
  })
})
