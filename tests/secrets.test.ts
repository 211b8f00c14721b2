import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { routes } from '@millrace/routes'
import { type HttpSink, httpSink, waitFor } from '@millrace/testkit'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Account, type Client, newUser, uniqueName } from './support/client.js'
import { dumpOf } from './support/postgres-tools.js'
import { expectProblem } from './support/problems.js'
import { fillPath } from './support/route-calls.js'
import type { Page, Run, Task } from './support/shapes.js'
import {
  filesChangedSince,
  filesUnder,
  processIds,
  shownOf,
  textsInFile,
  watchArguments,
} from './support/shown-by-system.js'
import { startTarget, type Target, targetIsOwn } from './support/target.js'
import { base64Of, base64Within, encodings, escaped, hexOf } from './support/text-forms.js'

let target: Target
let traces: HttpSink
let account: Account
let client: Client

beforeAll(async () => {
  traces = await httpSink()
  traces.otherwise({ status: 200, headers: { 'content-type': 'application/json' }, body: '{}' })
  target = await startTarget({
    ...{ MILLRACE_LOG_LEVEL: 'debug', MILLRACE_SHELL_ENABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: traces.url },
    ...{ OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none' },
    OTEL_BSP_SCHEDULE_DELAY: '200',
  })
  account = await newUser(target)
  client = account.client
}, 120_000)

afterAll(async () => {
  await target?.close()
  await traces?.close()
})

/** Of a stack on this machine, whose files may be looked into. */
const stackDir = process.env.MILLRACE_TARGET_STACK_DIR

const secret = (name: string) => `\${{ secrets.${name} }}`
const putSecret = (name: string, value: string) =>
  client.want(200, 'PUT', `/api/v1/secrets/${name}`, { body: { value } })
/** Webhooks of earlier runs may still be arriving: only requests to this path count. */
const sentTo = (path: string) => target.sink.requests.filter(({ url }) => url === path)
const task = (run: Run, key: string): Task => {
  const found = run.tasks.find((one) => one.key === key)
  if (!found) throw new Error(`there is no task ${key}`)
  return found
}

const core = `plant${randomBytes(16).toString('hex')}`
/** Text that every encoder changes. */
const value = `<${core}> "&=%+\\ ~'()*`
/** A value of several lines, such as a key in a file. */
const lines = [1, 2, 3].map((n) => `line${n}of${randomBytes(16).toString('hex')}`)
/** Goes the same ways as the secret, in the open: what finds this would have found the secret. */
const control = `control${randomBytes(16).toString('hex')}`
/** Tells the command's own child from others. */
const commandSleeps = '1.0517'
const forms = [
  ...[core, hexOf(core), hexOf(core).toUpperCase(), base64Of(value), base64Of(core).slice(0, -2)],
  ...[0, 1, 2].map((before) => base64Within(core, before)),
  // In JSON a backslash stands twice, in JSON of JSON and in rows of tables more often.
  ...Object.values(escaped(core)).flatMap((form) => [1, 2, 4, 8].map((n) => form.replaceAll('\\', '\\'.repeat(n)))),
  ...lines,
]
/** The same of a value of several lines. */
const encodingsOfLines = [lines.join('\r\n'), JSON.stringify(lines.join('\n')), ...lines.map((line) => `> ${line}`)]

function expectClean(where: string, text: string): void {
  for (const form of forms) expect(text.includes(form), `${where} shows the secret`).toBe(false)
}

describe('a secret that is planted in every place a definition allows', () => {
  let run: Run
  let name: string
  let shownArguments: string
  let startedAt: number

  beforeAll(async () => {
    startedAt = Date.now()
    await putSecret('planted', value)
    await putSecret('lines', lines.join('\n'))
    await client.want(201, 'POST', '/api/v1/subscriptions', {
      body: {
        events: ['workflow.completed', 'task.dead-lettered'],
        channel: { type: 'webhook', url: `${target.sink.url}/hook` },
      },
    })
    target.sink.otherwise(({ url, headers, body }) => {
      // Nobody hides what was not given to them.
      const ofLines = body.includes(lines[0] ?? '') ? encodingsOfLines : []
      const made = { ...encodings(String(headers['x-api-key'] ?? '')), ofLines }
      const echo = JSON.stringify({ header: headers['x-api-key'], url, body, control, made })
      const json = { 'content-type': 'application/json' }
      if (url.startsWith('/broken')) return { status: 500, headers: json, body: echo }
      if (url.startsWith('/later')) return { status: 429, headers: { 'retry-after': String(headers['x-api-key']) } }
      return { status: 200, headers: { ...json, 'x-echo': String(headers['x-api-key'] ?? '') }, body: echo }
    })
    const header = { 'x-api-key': secret('planted') }
    const once = { retry: { maxAttempts: 1 }, onFailure: 'continue' }
    name = uniqueName('secrets')
    await client.createWorkflow({
      name,
      output: { shown: '${{ tasks.shown.output }}', fetched: '${{ tasks.fetched.output.body }}' },
      tasks: {
        fetched: {
          uses: 'http',
          with: {
            url: `${target.sink.url}/good?q=${secret('planted')}`,
            method: 'POST',
            headers: header,
            query: { k: secret('planted') },
            body: { deep: [`say ${secret('planted')} and \${{ input.control }}`], many: secret('lines') },
          },
        },
        broken: {
          uses: 'http',
          with: { url: `${target.sink.url}/broken`, headers: header },
          retry: { maxAttempts: 2, delay: '1ms' },
          onFailure: 'continue',
        },
        later: { uses: 'http', with: { url: `${target.sink.url}/later`, headers: header }, ...once },
        unreachable: { uses: 'http', with: { url: `http://127.0.0.1:9/${secret('planted')}` }, ...once },
        malformed: { uses: 'http', with: { url: `${secret('planted')}://`, method: 'GET' }, ...once },
        failing: { uses: 'fail', with: { message: `${secret('planted')} \${{ input.control }}` }, ...once },
        ...(targetIsOwn
          ? {
              printed: {
                uses: 'shell',
                with: {
                  command: `printf '%s' "$S" | od -An -tx1 | tr -d ' \\n'; printf 'user:%s' "$S" | base64 -w0; printf '%s' "$S"; ps axww >&2; echo "$C"`,
                  env: { S: secret('planted'), C: '${{ input.control }}' },
                },
                ...once,
              },
              commanded: {
                uses: 'shell',
                with: { command: `cat <<'E'\n${secret('planted')}\n${secret('lines')}\nE\nsleep ${commandSleeps}` },
                ...once,
              },
              argued: { uses: 'shell', with: { args: ['/bin/sh', '-c', 'sleep 1', '${{ input.control }}'] }, ...once },
              refused: { uses: 'shell', with: { args: ['echo', `x${secret('planted')}`] }, ...once },
            }
          : {}),
        shown: { uses: 'transform', with: { value: { a: secret('planted'), b: [`x${secret('planted')}y`] } } },
        passed: { needs: ['shown'], uses: 'noop', with: { output: '${{ tasks.shown.output }}' } },
      },
    })
    const { id } = await client.startRun(name, { input: { control, forged: secret('planted') } })
    const watch = watchArguments()
    run = await client.ended(id)
    shownArguments = watch.end()
  }, 60_000)

  test('reaches those it was meant for', () => {
    const [request] = target.sink.requests.filter(({ url }) => url.startsWith('/good'))
    expect(request?.headers['x-api-key']).toBe(value)
    expect(JSON.parse(request?.body ?? '')).toEqual({ deep: [`say ${value} and ${control}`], many: lines.join('\n') })
    expect(new URL(request?.url ?? '', target.sink.url).searchParams.get('k')).toBe(value)
    expect(run.status).toBe('succeeded')
  })

  test('is hidden in outputs and errors', () => {
    expect(task(run, 'shown').output).toEqual({ a: '***', b: ['x***y'] })
    expect(task(run, 'passed').output).toEqual({ a: '***', b: ['x***y'] })
    expect(task(run, 'fetched').output).toMatchObject({ body: { header: '***', control } })
    expect(task(run, 'failing').error?.message).toBe(`*** ${control}`)
    expect(task(run, 'broken').error?.message).toContain(control)
    expectClean('the run', JSON.stringify(run))
  })

  test('is named where the input of a dead letter is shown', async () => {
    const letters = await client.all<{ taskKey: string; input: unknown }>('/api/v1/dlq')
    const letter = letters.find(({ taskKey }) => taskKey === 'failing')
    expect(letter?.input).toEqual({ message: `${secret('planted')} ${control}` })
  })

  test('is in no answer of the API', async () => {
    const logged = await waitFor(
      async () => {
        const { text } = await client.call('GET', `/api/v1/runs/${run.id}/logs`)
        return text.includes('the peer asks to retry after') && text.includes(`*** ${control}`) ? text : undefined
      },
      { timeoutMs: 15_000, what: 'the log' },
    )
    expectClean('the log', logged)
    const notified = () => client.get<Page<{ id: string; status: string }>>('/api/v1/notifications')
    const delivered = async () => (await notified()).items.some(({ status }) => status === 'delivered')
    await waitFor(delivered, { timeoutMs: 15_000, what: 'a delivered webhook' })
    const idsOf = async (kind: string) => (await client.all<{ id: string }>(`/api/v1/${kind}`)).map(({ id }) => id)
    const ids = new Map([
      ['runs', [run.id]],
      ['jobs', run.tasks.map(({ jobId }) => jobId)],
    ])
    for (const kind of ['dlq', 'subscriptions', 'notifications']) ids.set(kind, await idsOf(kind))
    let found = 0
    for (const route of routes.filter(({ method }) => method === 'GET')) {
      const { path } = route
      const params = { name, slug: account.project.slug, from: '1', to: '1' }
      const look = async (id: string) => {
        const text = await readFor(fillPath(route, { ...params, id }), 1500)
        expectClean(path, text)
        if (text.includes(control)) found += 1
      }
      // Of one route together: those that stream take their time in full.
      await Promise.all((ids.get(path.split('/')[3] ?? '') ?? ['']).map(look))
    }
    expect(found, 'answers that show the control').toBeGreaterThan(8)
  }, 120_000)

  /** Headers and body, as far as they come in this time: some answers go on while the project lives. */
  async function readFor(path: string, ms: number): Promise<string> {
    let text = ''
    try {
      const response = await client.open('GET', path, { signal: AbortSignal.timeout(ms) })
      text += JSON.stringify([...response.headers])
      for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString('latin1')
    } catch (error) {
      if ((error as Error).name !== 'TimeoutError') throw error
    }
    return text
  }

  test.runIf(targetIsOwn)('is in no trace, and in no list of processes', async () => {
    const told = () => traces.requests.map(({ body }) => body).join('\n')
    await waitFor(() => told().includes('failing') && told().includes('broken'), { timeoutMs: 15_000, what: 'spans' })
    expectClean('the traces', told())
    const printed = task(run, 'printed').output as { stdout: string; stderr: string }
    expect(printed.stdout).toContain(control)
    expect(printed.stderr).toContain('ps axww')
    expectClean('the output of a command', JSON.stringify(printed))
    expect(task(run, 'commanded').output).toMatchObject({ stdout: expect.stringMatching(/^(\*{3}\n)+$/) })
    expect(task(run, 'refused').error).toMatchObject({ code: 'secret_misplaced', class: 'validation' })
    // Seen while it ran, as are arguments that are no secret.
    expect(shownArguments).toContain(`sleep\0${commandSleeps}`)
    expect(shownArguments).toContain(control)
    expectClean('the arguments of a process', shownArguments)
    // Masking would hide it there: what the system itself shows is looked at.
    for (const pid of processIds())
      for (const file of ['cmdline', 'environ']) expectClean(`${file} of process ${pid}`, shownOf(pid, file))
  })

  test('is in no webhook', () => {
    const hooks = target.sink.requests.filter(({ url }) => url.startsWith('/hook'))
    expect(hooks.length).toBeGreaterThan(0)
    for (const { body, headers } of hooks) expectClean('a webhook', `${body}${JSON.stringify(headers)}`)
  })

  test.runIf(targetIsOwn)('is in no table of any schema', async () => {
    const pool = new pg.Pool({ connectionString: target.standalone?.databaseUrl(), max: 1 })
    try {
      const { rows: tables } = await pool.query<{ name: string }>(
        `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
         where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'`,
      )
      const withControl: string[] = []
      for (const { name: table } of tables) {
        const { rows } = await pool.query<{ row: string }>(`select t::text as row from ${table} t`)
        const text = rows.map(({ row }) => row).join('\n')
        expectClean(table, text)
        if (text.includes(control)) withControl.push(table)
      }
      expect(withControl).toEqual(
        expect.arrayContaining(['events.log', 'scheduler.runs', 'scheduler.task_payloads', 'scheduler.dead_letters']),
      )
      expect(withControl.some((table) => table.startsWith('metadata.'))).toBe(true)
    } finally {
      await pool.end()
    }
  })

  test.runIf(targetIsOwn)(
    'is in no dump of the database',
    ({ skip }) => {
      const dump = dumpOf(target.standalone?.databaseUrl() ?? '')
      if (dump === undefined) return skip('there is neither a pg_dump nor a Python that could fetch one')
      expect(dump).toContain(control)
      expectClean('the dump', dump)
    },
    180_000,
  )

  test.runIf(targetIsOwn)('is in no file, not even of the database', () => {
    const { standalone } = target
    if (!standalone) throw new Error('there is no standalone')
    expectClean('the standard output', standalone.output)
    expectClean('the logs', standalone.logs())
    const withControl = filesUnder(standalone.dataDir).filter((file) => {
      const bytes = readFileSync(file)
      for (const form of forms) expect(bytes.includes(form), `${file} shows the secret`).toBe(false)
      return bytes.includes(control)
    })
    expect(
      withControl.some((file) => file.includes('pg_wal')),
      'the log of the database',
    ).toBe(true)
  })

  test.runIf(stackDir !== undefined)(
    'is in no message of Kafka, no document, no object and no log of the stack',
    async () => {
      const folder = stackDir ?? ''
      const shows = async (name: string) => {
        return filesChangedSince(join(folder, name), startedAt).some((path) => textsInFile(path, [control]).length > 0)
      }
      // Written by whoever hears of the run after it, and by stores in their own time.
      for (const name of ['kafka', 'ferretdb']) await waitFor(() => shows(name), { timeoutMs: 30_000, what: name })
      for (const path of filesChangedSince(folder, startedAt))
        expect([path, textsInFile(path, forms)]).toEqual([path, []])
    },
    120_000,
  )
})

test('a run cannot be made to show a secret through its input', async () => {
  await putSecret('private', value)
  const tasks = {
    a: {
      uses: 'http',
      with: { url: `${target.sink.url}/\${{ input.path }}`, headers: { 'x-a': `\${{ input.path }}` } },
    },
  }
  const path = `forged-${secret('private')}`
  await client.ended((await client.runTasks(tasks, { input: { path } })).id)
  const request = await waitFor(() => target.sink.requests.find(({ url }) => url.startsWith('/forged')))
  expect(request.headers['x-a']).toBe(path)
})

test('a secret that does not exist fails the task, without a retry', async () => {
  const run = await client.ended(
    (await client.runTasks({ a: { uses: 'noop', with: { output: secret('absent') } } })).id,
  )
  expect(run.status).toBe('failed')
  expect(task(run, 'a')).toMatchObject({ attempt: 1, error: { class: 'validation', code: 'secret_not_found' } })
})

test('secrets of another project are not there', async () => {
  await putSecret('ours', value)
  const other = (await newUser(target)).client
  const run = await other.ended((await other.runTasks({ a: { uses: 'noop', with: { output: secret('ours') } } })).id)
  expect(task(run, 'a').error).toMatchObject({ code: 'secret_not_found' })
  expect((await other.get<Page<unknown>>('/api/v1/secrets')).items).toEqual([])
})

test('a new value is used soon, and after its end none is', async () => {
  const { name } = await client.createWorkflow({
    name: uniqueName('rotating'),
    tasks: {
      a: { uses: 'http', with: { url: `${target.sink.url}/rotating`, headers: { 'x-a': secret('rotating') } } },
    },
  })
  const started = async () => client.ended((await client.startRun(name)).id)
  await putSecret('rotating', 'old-value-of-it')
  expect((await started()).status).toBe('succeeded')
  await putSecret('rotating', 'new-value-of-it')
  await waitFor(async () => {
    await started()
    return sentTo('/rotating').at(-1)?.headers['x-a'] === 'new-value-of-it'
  })
  await client.want(204, 'DELETE', '/api/v1/secrets/rotating')
  await waitFor(async () => (await started()).status === 'failed')
})

test('operators do not choose where a secret goes', async () => {
  await putSecret('guarded', value)
  const url = `${target.sink.url}/broken`
  const tasks = { a: { uses: 'http', retry: { maxAttempts: 1 }, with: { url, headers: { 'x-a': secret('guarded') } } } }
  const { id: runId } = await client.runTasks(tasks)
  await client.ended(runId)
  const letters = await client.all<{ id: string; runId: string; input: object }>('/api/v1/dlq')
  const letter = letters.find((one) => one.runId === runId)
  const operator = client.as((await client.createKey('operator')).key)
  const body = { input: { ...letter?.input, url: `${target.sink.url}/elsewhere` } }
  const retry = `/api/v1/dlq/${letter?.id}/retry`
  expectProblem(await operator.call('POST', retry, { body }), 'an operator', 403, 'secrets_need_editor')
  await client.want(200, 'POST', retry, { body })
  expect((await client.ended(runId)).status).toBe('succeeded')
  expect(sentTo('/elsewhere')).toMatchObject([{ headers: { 'x-a': value } }])
})

test.each([
  ['in a condition', { uses: 'noop', if: `${secret('planted')} == 'x'` }],
  ['inside a larger expression', { uses: 'noop', with: { output: "${{ secrets.planted + 'x' }}" } }],
  ['in a task that no worker executes', { uses: 'approval', with: { message: secret('planted') } }],
])('a secret %s is a fault of the definition', async (_where, one) => {
  const reply = await client.call('POST', '/api/v1/workflows', { body: { name: uniqueName('bad'), tasks: { a: one } } })
  expect(expectProblem(reply, 'a misplaced secret', 422).errors).toMatchObject([{ code: 'secret_misplaced' }])
})
