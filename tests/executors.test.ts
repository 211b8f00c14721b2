import { type TestDatabase, testDatabase, waitFor } from '@millrace/testkit'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, login, newUser, uniqueName } from './support/client.js'
import type { Artifact, Explanation, Page, Run, Task } from './support/shapes.js'
import { startTarget, type Target, targetIsOwn } from './support/target.js'

interface Circuit {
  uses: string
  peer: string
  retryAt: string
}

/** Settings of the deployment decide here, so it has to be one of its own. */
describe.runIf(targetIsOwn)('built-in executors', () => {
  let target: Target
  let client: Client
  let database: TestDatabase

  beforeAll(async () => {
    database = await testDatabase()
    target = await startTarget({
      ...{ MILLRACE_SHELL_ENABLED: 'true', MILLRACE_ALLOW_PRIVATE_NETWORK: 'true' },
      MILLRACE_PLANTED: 'planted-in-the-environment',
    })
    client = (await newUser(target)).client
  }, 120_000)
  afterAll(async () => {
    await target?.close()
    await database?.drop()
  })

  const task = (run: Run, key: string): Task => {
    const found = run.tasks.find((one) => one.key === key)
    if (!found) throw new Error(`there is no task ${key}`)
    return found
  }
  const putSecret = (name: string, value: string) =>
    client.want(200, 'PUT', `/api/v1/secrets/${name}`, { body: { value } })
  const secret = (name: string) => `\${{ secrets.${name} }}`

  test('a task takes the artifacts of all items of a map', async () => {
    const { id } = await client.runTasks({
      parts: {
        uses: 'map',
        with: {
          items: ['a', 'b', 'c'],
          task: {
            uses: 'shell',
            with: { command: 'cat > part', stdin: '${{ item }}', outputs: ['part'] },
          },
        },
      },
      join: {
        needs: ['parts'],
        uses: 'shell',
        with: { command: 'cat 0-part 1-part 2-part', inputs: '${{ artifacts(tasks.parts.output) }}' },
      },
    })
    const run = await client.ended(id)
    const errors = JSON.stringify(run.tasks.map(({ error }) => error))
    expect(task(run, 'join').output, errors).toMatchObject({ exitCode: 0, stdout: 'abc' })
  })

  test('shell, sql, webhook and email work together in one run, and none shows its secret', async () => {
    const signingKey = `whsec_${Buffer.from('a key of at least 24 bytes').toString('base64')}`
    await putSecret('database', database.url)
    await putSecret('signing', signingKey)
    await putSecret('word', 'a-planted-word-0451')
    target.sink.otherwise({ status: 200 })
    const { id } = await client.runTasks(
      {
        rows: {
          uses: 'sql',
          with: { connection: secret('database'), query: 'select $1::int * 2 as n', params: ['${{ input.n }}'] },
        },
        make: {
          needs: ['rows'],
          uses: 'shell',
          with: {
            command: 'cat; echo "word $WORD" >&2; printf "%s" "$N" > made.txt',
            stdin: 'hello\n',
            env: { WORD: secret('word'), N: '${{ tasks.rows.output.rows[0].n }}' },
            outputs: ['made.txt'],
          },
        },
        read: {
          needs: ['make'],
          uses: 'shell',
          with: { args: ['cat', 'in.txt'], inputs: { 'in.txt': "${{ tasks.make.output.artifacts['made.txt'].id }}" } },
        },
        hook: {
          needs: ['read'],
          uses: 'webhook',
          with: {
            url: `${target.sink.url}/hook`,
            payload: { n: '${{ tasks.read.output.stdout }}' },
            secret: secret('signing'),
          },
        },
        tell: {
          needs: ['hook'],
          uses: 'email',
          with: { to: 'someone@example.test', subject: 'n is ${{ tasks.read.output.stdout }}', text: 'done' },
        },
      },
      { input: { n: 21 } },
    )
    const run = await client.ended(id)
    expect(run.tasks.map(({ key, status, error }) => [key, status, error ?? null])).toEqual(
      ['rows', 'make', 'read', 'hook', 'tell'].map((key) => [key, 'succeeded', null]),
    )
    expect(task(run, 'rows').output).toEqual({ rows: [{ n: 42 }], rowCount: 1 })
    expect(task(run, 'make').output).toMatchObject({ exitCode: 0, stdout: 'hello\n', stderr: 'word ***\n' })
    expect(task(run, 'read').output).toMatchObject({ stdout: '42' })
    expect(task(run, 'hook').output).toEqual({ status: 200 })
    const request = target.sink.requests.find(({ url }) => url === '/hook')
    expect(new Webhook(signingKey).verify(request?.body ?? '', request?.headers as Record<string, string>)).toEqual({
      n: '42',
    })
    expect(await target.mail.waitForMail('someone@example.test')).toContain('Subject: n is 42')
    const { items } = await client.get<Page<Artifact>>(`/api/v1/artifacts?run=${id}`)
    expect(items).toMatchObject([{ name: 'made.txt', size: 2, task: 'make', state: 'complete' }])
    const logs = await client.call('GET', `/api/v1/runs/${id}/logs`)
    expect(logs.text).toContain('"message":"word ***"')
    expect(JSON.stringify(run) + logs.text).not.toMatch(/a-planted-word-0451|whsec_/)
  })

  test('a command reads no environment of the platform, and no file of its data', async () => {
    const { standalone } = target
    const command = [
      `cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep MILLRACE_`,
      ...(process.getuid?.() === 0 ? [`find ${standalone?.dataDir} -type f -readable`] : []),
      'true',
    ].join('; ')
    const { id } = await client.runTasks({ look: { uses: 'shell', with: { command } } })
    expect(task(await client.ended(id), 'look').output).toMatchObject({ exitCode: 0, stdout: '' })
  })

  test('a cancel ends a command within 2 s', async () => {
    const { id } = await client.runTasks({ long: { uses: 'shell', with: { command: 'sleep 300' } } })
    await client.runUntil(id, 'runs', ({ tasks }) => tasks[0]?.status === 'running')
    await client.want(200, 'POST', `/api/v1/runs/${id}/cancel`)
    expect(await client.ended(id)).toMatchObject({ status: 'cancelled', tasks: [{ status: 'cancelled' }] })
  })

  test('calls to a peer that keeps failing wait, use up no attempt, and go on when it is back', async () => {
    target.sink.otherwise({ status: 503 })
    const fragile = { uses: 'http', with: { url: `${target.sink.url}/fragile` } }
    const retry = { maxAttempts: 2, backoff: 'fixed', delay: '500ms', jitter: 'none' }
    const tasks = Object.fromEntries(Array.from({ length: 14 }, (_, n) => [`t${n}`, { ...fragile, retry }]))
    const { id } = await client.runTasks(tasks)
    const blocked = await waitFor(
      async () => {
        const { tasks: explained } = await client.get<Explanation>(`/api/v1/runs/${id}/explain`)
        const blockers = explained.flatMap((one) => one.blockers).filter(({ kind }) => kind === 'circuit_open')
        return blockers.length === 14 && blockers
      },
      { timeoutMs: 20_000 },
    )
    expect(blocked[0]?.detail).toContain(`127.0.0.1:${target.sink.port}`)
    const admin = await login(target, target.admin)
    const circuits = async () =>
      (await admin.get<{ items: { circuits: Circuit[] }[] }>('/api/v1/workers')).items.flatMap((one) => one.circuits)
    const shown = await waitFor(async () => (await circuits())[0])
    expect(shown).toEqual({ uses: 'http', peer: `127.0.0.1:${target.sink.port}`, retryAt: expect.any(String) })
    target.sink.otherwise({ status: 200 })
    const run = await client.ended(id, 60_000)
    expect(run.status).toBe('succeeded')
    expect(run.tasks.map(({ attempt }) => attempt)).toEqual(run.tasks.map(() => 2))
    await waitFor(async () => (await circuits()).length === 0)
  })

  test('what cannot work is refused when it is written', async () => {
    const tasks = {
      a: { uses: 'shell', with: { command: 'x', args: ['y'] } },
      b: { uses: 'shell', with: { command: 'x', outputs: ['../../etc/passwd'] } },
      c: { uses: 'sql', with: { connection: 'x' } },
      d: { uses: 'email', with: { to: 'a@b.c' } },
      e: { uses: 'webhook', with: { url: 'https://x.example' } },
      f: { uses: 'llm', with: { baseUrl: 'https://x.example', model: 'm', messages: [{}], schema: { type: 'odd' } } },
    }
    const body = { name: uniqueName('wrong'), tasks }
    const { errors } = await client.want<{ errors: { path: string }[] }>(422, 'POST', '/api/v1/workflows', { body })
    const places = [
      'a/with',
      'b/with/outputs/0',
      'c/with/query',
      'd/with/subject',
      'e/with/payload',
      'f/with/schema/type',
    ]
    expect(errors.map(({ path }) => path)).toEqual(expect.arrayContaining(places.map((place) => `/tasks/${place}`)))
  })
})
