import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ferretSpec, type ServerProcess, startServer } from '@millrace/stack-servers'
import { freePort } from '@millrace/testkit'
import { BSON, MongoClient } from 'mongodb'
import { afterAll, beforeAll, expect, test } from 'vitest'

const account = { name: 'metadata', password: 'a-secret-for-tests' }
const plain = 'directConnection=true&authMechanism=PLAIN&authSource=%24external'
let folder: string
let server: ServerProcess
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-ferretdb-'))
  const spec = await ferretSpec({ directory: join(folder, 'data'), port: await freePort(), account })
  server = await startServer(spec, join(folder, 'ferretdb.log'))
}, 900_000)
afterAll(async () => {
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function insertAndCount(who: string, options: string): Promise<number> {
  const client = new MongoClient(`mongodb://${who}${server.spec.address}/millrace?${options}`)
  try {
    const things = client.db().collection('things')
    await things.insertOne({ a: 1 })
    return await things.countDocuments({})
  } finally {
    await client.close()
  }
}

test('who knows the password is let in', async () => {
  expect(await insertAndCount(`${account.name}:${account.password}@`, plain)).toBeGreaterThan(0)
})

test.each([
  ['nobody', '', 'directConnection=true'],
  ['another name', `workflow:${account.password}@`, plain],
  ['another password', `${account.name}:a-secret-for-test@`, plain],
  ['another mechanism', `${account.name}:${account.password}@`, 'directConnection=true&authMechanism=SCRAM-SHA-256'],
])('%s is not', async (_, who, options) => {
  await expect(insertAndCount(who, options)).rejects.toThrow(/authenticat/i)
})

function message(...sections: Uint8Array[]): Buffer {
  const body = Buffer.concat([Buffer.alloc(4), ...sections])
  const head = Buffer.alloc(16)
  head.writeInt32LE(16 + body.length, 0)
  head.writeInt32LE(7, 4)
  head.writeInt32LE(2013, 12)
  return Buffer.concat([head, body])
}
const section = (document: object) => Buffer.concat([Buffer.from([0]), BSON.serialize(document)])

function answerTo(bytes: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const [host, port] = server.spec.address.split(':')
    const socket = connect(Number(port), host, () => socket.write(bytes))
    socket.once('data', (chunk) => {
      resolve(JSON.stringify(BSON.deserialize(chunk.subarray(21))))
      socket.destroy()
    })
    socket.once('close', () => resolve('closed'))
    socket.once('error', reject)
  })
}

test('a command cannot hide behind a greeting', async () => {
  const hello = { hello: 1, $db: 'millrace' }
  const list = { listCollections: 1, $db: 'millrace' }
  const named = Buffer.concat([Buffer.from([1]), Buffer.from([11, 0, 0, 0]), Buffer.from('\x03hello\0', 'latin1')])
  expect(await answerTo(message(section(hello)))).toContain('maxWireVersion')
  expect(await answerTo(message(section(list)))).toContain('requires authentication')
  expect(await answerTo(message(section(hello), section(list)))).toBe('closed')
  expect(await answerTo(message(named, section(list)))).toBe('closed')
})
