import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutBucketPolicyCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { makeMinioAccount, minioSpec, type ServerProcess, startServer } from '@millrace/stack-servers'
import { freePort } from '@millrace/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createS3ObjectStore } from '../../src/index.js'

const region = 'us-east-1'
const root = { accessKey: 'millrace-root', secretKey: 'a-secret-for-tests' }
const account = { name: 'artifact', password: 'another-secret-for-tests', bucket: 'artifacts' }
const credentials = { accessKeyId: account.name, secretAccessKey: account.password }
let folder: string
let server: ServerProcess
let endpoint: string
let byAccount: S3Client

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-minio-'))
  const options = { directory: join(folder, 'data'), port: await freePort(), ...root }
  server = await startServer(await minioSpec(options), join(folder, 'minio.log'))
  endpoint = `http://${server.spec.address}`
  await makeMinioAccount(options, account)
  await makeMinioAccount(options, account)
  byAccount = new S3Client({ endpoint, region, credentials, forcePathStyle: true })
}, 900_000)
afterAll(async () => {
  byAccount?.destroy()
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('the account is enough for the artifact service, its bucket being there', async () => {
  const store = createS3ObjectStore({ endpoint, region, credentials, bucket: account.bucket })
  await store.prepare()
  await store.put('large', Readable.from([Buffer.alloc(12 * 1024 * 1024)]), { contentType: 'text/plain' })
  expect((await store.head('large'))?.size).toBe(12 * 1024 * 1024)
  await store.delete('large')
})

test('it reaches no other bucket and administers nothing', async () => {
  const byRoot = new S3Client({
    ...{ endpoint, region, forcePathStyle: true },
    credentials: { accessKeyId: root.accessKey, secretAccessKey: root.secretKey },
  })
  await byRoot.send(new CreateBucketCommand({ Bucket: 'of-others' }))
  byRoot.destroy()
  const { Buckets = [] } = await byAccount.send(new ListBucketsCommand({}))
  expect(Buckets.map(({ Name }) => Name)).toEqual([account.bucket])
  const refusals = await Promise.allSettled([
    byAccount.send(new ListObjectsV2Command({ Bucket: 'of-others' })),
    byAccount.send(new PutObjectCommand({ Bucket: 'of-others', Key: 'x', Body: 'x' })),
    byAccount.send(new CreateBucketCommand({ Bucket: 'new' })),
    byAccount.send(new DeleteBucketCommand({ Bucket: account.bucket })),
    byAccount.send(new PutBucketPolicyCommand({ Bucket: account.bucket, Policy: '{}' })),
  ])
  expect(refusals.map((each) => (each.status === 'rejected' ? each.reason.name : 'allowed'))).toEqual(
    Array.from({ length: 5 }, () => 'AccessDenied'),
  )
})
