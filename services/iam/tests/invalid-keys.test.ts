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
  client = as('scheduler')
})
afterAll(async () => {
  client?.close()
  await iam.stop()
})

const as = (service: ServiceName) =>
  createGrpcClient(iamServiceDefinition, `127.0.0.1:${iam.service.grpcPort}`, {
    serviceToken: () => testService(service).tokenFor('iam'),
  })

async function newKey() {
  const maker = await iam.newUser()
  const { body } = await iam.api('POST', '/api/v1/api-keys', {
    token: maker.token,
    body: { name: 'k', role: 'worker' },
  })
  return { id: body.id as string, maker }
}

const invalid = async (...ids: string[]) => (await client.findInvalidKeys({ ids })).ids

test('keys that can no longer be used are named, whatever the reason, and no other', async () => {
  const keys = { good: await newKey(), revoked: await newKey(), expired: await newKey() }
  const left = await newKey()
  const disabled = await newKey()
  const ids = [keys.good, keys.revoked, keys.expired, left, disabled].map(({ id }) => id)
  expect(await invalid(...ids)).toEqual([])

  const { revoked, expired } = keys
  await iam.api('DELETE', `/api/v1/api-keys/${revoked.id}`, { token: revoked.maker.token })
  await iam.pool.query(`update api_keys set expires_at = now() - interval '1 second' where id = $1`, [expired.id])
  await iam.pool.query('delete from members where user_id = $1', [left.maker.id])
  await iam.pool.query('update users set disabled = true where id = $1', [disabled.maker.id])
  const unknown = v7()
  expect(await invalid(...ids, unknown, 'not-an-id')).toEqual([...ids.slice(1), unknown, 'not-an-id'])
})

test('nobody but the scheduler is answered, and no endless list is', async () => {
  const other = as('worker')
  await expect(other.findInvalidKeys({ ids: [] })).rejects.toMatchObject({ code: 'permission_denied' })
  other.close()
  await expect(invalid(...Array.from({ length: 1001 }, () => 'x'))).rejects.toMatchObject({ reason: 'too_many_ids' })
})
