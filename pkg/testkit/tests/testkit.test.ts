import { once } from 'node:events'
import { connect } from 'node:net'
import { createPool } from '@millrace/postgres'
import { expect, test } from 'vitest'
import { freePort, httpSink, smtpSink, testDatabase, testIdentityAuthority, waitFor } from '../src/index.js'

test('each database is empty and its own', async () => {
  const [one, two] = await Promise.all([testDatabase(), testDatabase()])
  const pools = [one, two].map(({ url }) => createPool({ connectionString: url, schema: 'public' }))
  for (const pool of pools) await pool.query('create table only_here (id int)')
  await Promise.all(pools.map((pool) => pool.end()))
  await one.drop()
  await two.drop()
})

test('dropping a database does not wait for who still uses it', async () => {
  const database = await testDatabase()
  const pool = createPool({ connectionString: database.url, schema: 'public' })
  await pool.query('select 1')
  await database.drop()
  await expect(pool.query('select 1')).rejects.toThrow()
  await pool.end()
})

test('waitFor answers what it waited for, or says why not', async () => {
  let calls = 0
  const answer = await waitFor(() => {
    calls += 1
    if (calls === 1) throw new Error('not yet')
    return calls > 2 && 'there'
  })
  expect(answer).toBe('there')
  const failure = await waitFor(() => Promise.reject(new Error('cause')), { timeoutMs: 50, what: 'the moon' }).catch(
    (error: Error) => error,
  )
  expect(failure).toMatchObject({ message: expect.stringContaining('the moon'), cause: { message: 'cause' } })
})

test('an identity of the authority is accepted by its verifier', async () => {
  const authority = testIdentityAuthority()
  const header = authority.identityHeader({ projectId: 'p', role: 'viewer', admin: true })
  const request = { service: 'workflow', method: 'GET', target: '/' }
  expect(await authority.verifier.verify(header, request)).toMatchObject({
    projectId: 'p',
    role: 'viewer',
    admin: true,
  })
  await expect(testIdentityAuthority().verifier.verify(header, request)).rejects.toThrow()
})

test('the HTTP sink records and follows its script', async () => {
  const sink = await httpSink()
  sink.script({ status: 500, body: 'no' }, { destroy: true })
  expect((await fetch(`${sink.url}/a`, { method: 'POST', body: 'one' })).status).toBe(500)
  await expect(fetch(sink.url)).rejects.toThrow()
  expect((await fetch(sink.url)).status).toBe(204)
  expect(sink.requests.map(({ method, url, body }) => `${method} ${url} ${body}`)).toEqual([
    'POST /a one',
    'GET / ',
    'GET / ',
  ])
  await sink.close()
})

test('the SMTP sink takes mail and refuses on demand', async () => {
  const sink = await smtpSink()
  sink.refuse(451)
  const send = async () => {
    const socket = connect(sink.port, '127.0.0.1')
    socket.setEncoding('utf8')
    let last = ''
    const say = async (line?: string) => {
      if (line !== undefined) socket.write(`${line}\r\n`)
      do [last] = (await once(socket, 'data')) as [string]
      while (/^\d{3}-[^\n]*\r\n$/.test(last))
      return last.slice(0, 3)
    }
    await say()
    await say('HELO test')
    await say('MAIL FROM:<a@x.example>')
    await say('RCPT TO:<b@x.example>')
    await say('DATA')
    const code = await say('Subject: hi\r\n\r\nbody\r\n.')
    socket.destroy()
    return code
  }
  expect([await send(), await send()]).toEqual(['451', '250'])
  expect(sink.mails).toMatchObject([{ from: 'a@x.example', to: ['b@x.example'] }])
  expect(sink.mails[0]?.raw).toContain('Subject: hi')
  await sink.close()
})

test('free ports asked for together differ, and no outgoing connection takes them', async () => {
  const ports = await Promise.all(Array.from({ length: 20 }, () => freePort()))
  expect(new Set(ports).size).toBe(20)
  for (const port of ports) expect(port > 1_023 && port < 32_768).toBe(true)
})
