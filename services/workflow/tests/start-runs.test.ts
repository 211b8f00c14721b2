import { randomUUID } from 'node:crypto'
import { noQuotas } from '@millrace/iam-client'
import { startTelemetry } from '@millrace/telemetry'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRunCreator } from '../src/create-runs.js'
import { createVersionCache } from '../src/version-cache.js'
import { type Harness, noop, startHarness } from './harness.js'

let h: Harness
beforeAll(async () => {
  h = await startHarness()
  await h.call('POST', '/api/v1/workflows', noop('plain'))
  await h.call(
    'POST',
    '/api/v1/workflows',
    noop('strict', { input: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } } }),
  )
})
afterAll(() => h.stop())

const start = (name: string, body?: unknown, options = {}) =>
  h.call('POST', `/api/v1/workflows/${name}/runs`, body, options)
const startedEvents = async (runId: string) => (await h.events('workflow.started')).filter((e) => e.key === runId)

describe('starting a run', () => {
  test('answers 202 with the run, and has written its event and audit entry with it', async () => {
    const answer = await start('plain', { input: { n: 1 }, priority: 9, labels: { team: 'red' } })
    expect(answer.status).toBe(202)
    expect(answer.body).toMatchObject({
      workflow: 'plain',
      version: 1,
      status: 'queued',
      input: { n: 1 },
      output: null,
      error: null,
      priority: 9,
      labels: { team: 'red' },
      startedAt: null,
    })
    const [event, ...none] = await startedEvents(answer.body.id)
    expect(none).toEqual([])
    expect(event?.data).toMatchObject({
      runId: answer.body.id,
      projectId: h.projectId,
      workflow: 'plain',
      version: 1,
      inputJson: '{"n":1}',
      priority: 9,
      labels: { team: 'red' },
      createdAt: answer.body.createdAt,
    })
    const audits = (await h.events('audit.recorded')).filter((e) => e.data.target === `run:${answer.body.id}`)
    expect(audits).toMatchObject([{ data: { action: 'run.started' } }])
  })

  test('needs no body', async () => {
    const answer = await start('plain')
    expect(answer).toMatchObject({ status: 202, body: { input: {}, priority: 5, labels: {} } })
  })

  test('checks input by the schema of its version', async () => {
    const bad = await start('strict', { input: { id: 7 } })
    expect(bad).toMatchObject({ status: 422, body: { code: 'invalid_input', errors: [{ path: '/input/id' }] } })
    expect((await start('strict')).status).toBe(422)
    expect((await start('strict', { input: { id: 'x' } })).status).toBe(202)
  })

  test.each([
    [{ input: 'x'.repeat(262_143) }, 'input_too_large'],
    [{ priority: 10 }, undefined],
    [{ priority: -1 }, undefined],
    [{ priority: 1.5 }, undefined],
    [{ labels: { a: 1 } }, undefined],
    [{ labels: { a: 'b'.repeat(257) } }, undefined],
    [{ labels: { a: 'half \ud800' } }, 'invalid_labels'],
    [{ delaySeconds: 5, runAt: '2030-01-01T00:00:00Z' }, undefined],
    [{ delaySeconds: -1 }, undefined],
    [{ delaySeconds: 1e9 }, undefined],
    [{ runAt: 'tomorrow' }, undefined],
    [{ runAt: '9999-12-31T23:59:59Z' }, undefined],
    [{ hold: true, delaySeconds: 5 }, undefined],
    [{ hold: 'yes' }, undefined],
    [{ nonsense: 1 }, undefined],
    [{ version: 0 }, undefined],
    [[], undefined],
  ])('refuses %j', async (body, code) => {
    const answer = await start('plain', body)
    expect(answer.status).toBe(422)
    if (code !== undefined) expect(answer.body.code).toBe(code)
  })

  test('takes any JSON as input and gives it back as it came', async () => {
    const input = { nul: '\u0000', half: '\ud800', deep: [[[{}]]], big: 1e300 }
    const answer = await start('plain', { input })
    expect(answer).toMatchObject({ status: 202, body: { input } })
    expect((await h.call('GET', `/api/v1/runs/${answer.body.id}`)).body.input).toEqual(input)
  })

  test('pins the version: the newest, or the one asked for', async () => {
    await h.call('PUT', '/api/v1/workflows/moving', noop('moving'))
    expect((await start('moving', {})).body.version).toBe(1)
    await h.call('PUT', '/api/v1/workflows/moving', noop('moving', { description: 'two' }))
    expect((await start('moving', {})).body.version).toBe(2)
    expect((await start('moving', { version: 1 })).body.version).toBe(1)
    expect(await start('moving', { version: 3 })).toMatchObject({ status: 404, body: { code: 'version_not_found' } })
  })

  test('never starts by an overtaken version, whoever wrote the newer one', async () => {
    await h.call('PUT', '/api/v1/workflows/elsewhere', noop('elsewhere'))
    expect((await start('elsewhere', {})).body.version).toBe(1)
    // As another replica would: this one's cache knows nothing of it.
    await h.pool.query(`
      with old as (select v.* from workflow_versions v where name = 'elsewhere'),
      made as (insert into workflow_versions select gen_random_uuid(), workflow_id, project_id, name, 2, definition, graph, 'x', created_by, now() from old returning *)
      update workflows set latest_version = 2, latest_version_id = made.id from made where workflows.id = made.workflow_id`)
    expect((await start('elsewhere', {})).body.version).toBe(2)
    await h.pool.query(`update workflows set archived_at = now() where name = 'elsewhere'`)
    expect((await start('elsewhere', {})).status).toBe(404)
    expect((await start('elsewhere', { version: 1 })).status).toBe(404)
  })

  test('many that come at once share a commit and keep their own answers', async () => {
    let commits = 0
    const runCreator = createRunCreator({
      ...{ pool: h.pool, versions: createVersionCache(h.pool), quotas: async () => noQuotas },
      onCommitted: () => commits++,
    })
    const order = (i: number) => ({
      projectId: h.projectId,
      workflow: 'plain',
      version: 0,
      input: { i },
      priority: 5,
      labels: {},
      requestedBy: 'user:x',
      ip: '',
      requestId: '',
    })
    await runCreator.create(order(-1))
    expect(commits).toBe(1)
    const made = await Promise.all(Array.from({ length: 200 }, (_, i) => runCreator.create(order(i))))
    expect(commits).toBeLessThanOrEqual(4)
    const { rows } = await h.pool.query('select id, input from run_requests where id = any($1)', [
      made.map((m) => m.run.id),
    ])
    const inputs = new Map(rows.map((row) => [row.id, row.input.i]))
    expect(made.map((m) => inputs.get(m.run.id))).toEqual(Array.from({ length: 200 }, (_, i) => i))
    await runCreator.close()
  })

  test('a failure that the database finds in one does not touch its neighbours', async () => {
    await h.pool.query(`alter table run_requests add constraint poison check (input::text not like '%poison%')`)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => start('plain', { input: i === 7 ? 'poison' : i })),
    )
    await h.pool.query('alter table run_requests drop constraint poison')
    expect(answers.filter((a) => a.status === 202)).toHaveLength(19)
    expect(answers[7]?.status).toBeGreaterThanOrEqual(400)
  })
})

describe('starting it once', () => {
  test('an Idempotency-Key gives one run, however often and at once', async () => {
    const options = { headers: { ...h.headers({ userId: randomUUID() }), 'idempotency-key': randomUUID() } }
    const first = await start('plain', { input: 1 }, options)
    const again = await start('plain', { input: 1 }, options)
    expect(again).toMatchObject({ status: 202, body: first.body })
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(await start('plain', { input: 2 }, options)).toMatchObject({
      status: 409,
      body: { code: 'idempotency_conflict' },
    })
    expect(await startedEvents(first.body.id)).toHaveLength(1)
    const key = { headers: { ...options.headers, 'idempotency-key': randomUUID() } }
    const many = await Promise.all(Array.from({ length: 8 }, () => start('plain', { input: 3 }, key)))
    const ids = new Set(many.filter((a) => a.status === 202).map((a) => a.body.id))
    expect(ids.size).toBe(1)
    expect(many.every((a) => a.status === 202 || a.body.code === 'idempotency_in_progress')).toBe(true)
  })

  test('a dedupe key gives one run, also over gRPC and at once', async () => {
    const dedupeKey = `schedule:${randomUUID()}:1`
    const request = {
      projectId: h.projectId,
      workflow: 'plain',
      dedupeKey,
      inputJson: '{"tick":1}',
      requestedBy: 'service:scheduler',
    }
    const answers = await Promise.all(Array.from({ length: 10 }, () => h.rpc.createRun(request)))
    expect(new Set(answers.map((a) => a.runId)).size).toBe(1)
    expect(answers.filter((a) => !a.existing)).toHaveLength(1)
    expect(await startedEvents(answers[0]!.runId)).toHaveLength(1)
    const later = await h.rpc.createRun({ ...request, inputJson: '{"tick":2}', workflow: 'plain' })
    expect(later).toMatchObject({ runId: answers[0]!.runId, existing: true })
    const elsewhere = h.rpc.createRun({ ...request, projectId: randomUUID() })
    await expect(elsewhere).rejects.toMatchObject({ code: 'not_found', reason: 'workflow_not_found' })
  })

  test('many over gRPC in one call: each has its own answer, its own trace, and one run for its key', async () => {
    startTelemetry({ serviceName: 'workflow' })
    const run = (n: number) => ({
      projectId: h.projectId,
      workflow: 'plain',
      dedupeKey: `many:${n}`,
      inputJson: `${n}`,
    })
    const first = await h.rpc.createRun(run(3))
    const bad = [
      { ...run(20), workflow: 'strict' },
      { ...run(21), workflow: 'absent' },
      { ...run(22), inputJson: '{' },
      { ...run(23), projectId: 'x' },
    ]
    const runs = [...Array.from({ length: 20 }, (_, n) => run(n)), ...bad, run(5)]
    const [answer, again] = await Promise.all([h.rpc.createRuns({ runs }), h.rpc.createRuns({ runs })])
    const ids = answer.outcomes.map((outcome) => outcome.run?.runId)
    expect(again.outcomes.map((outcome) => outcome.run?.runId)).toEqual(ids)
    expect(ids[3]).toBe(first.runId)
    expect(ids[24]).toBe(ids[5])
    expect(new Set(ids.slice(0, 20)).size).toBe(20)
    expect(answer.outcomes.slice(20, 24).map((outcome) => outcome.refusal?.reason)).toEqual([
      ...['invalid_input', 'workflow_not_found', 'invalid_request', 'invalid_request'],
    ])
    const { rows } = await h.pool.query<{ runs: number; traces: number }>(
      `select count(*)::int as runs, count(distinct split_part(traceparent, '-', 2))::int as traces
       from events.log where topic = 'workflow.started' and key = any($1)`,
      [ids.slice(0, 20)],
    )
    expect(rows).toEqual([{ runs: 20, traces: 20 }])
    await expect(h.rpc.createRuns({ runs: Array(1001).fill(run(0)) })).rejects.toMatchObject({ code: 'unprocessable' })
  })

  test('gRPC tells a priority of 0 from none', async () => {
    const base = { projectId: h.projectId, workflow: 'plain' }
    const [low, none] = [await h.rpc.createRun({ ...base, priority: 0 }), await h.rpc.createRun(base)]
    const { rows } = await h.pool.query('select id, priority from run_requests where id = any($1)', [
      [low.runId, none.runId],
    ])
    expect(new Map(rows.map((row) => [row.id, row.priority]))).toEqual(
      new Map([
        [low.runId, 0],
        [none.runId, 5],
      ]),
    )
  })

  test('gRPC refuses what HTTP refuses', async () => {
    const base = { projectId: h.projectId, workflow: 'strict' }
    await expect(h.rpc.createRun({ ...base, inputJson: '{}' })).rejects.toMatchObject({ reason: 'invalid_input' })
    await expect(h.rpc.createRun({ ...base, inputJson: '{' })).rejects.toMatchObject({ code: 'unprocessable' })
    await expect(h.rpc.createRun({ ...base, projectId: 'x' })).rejects.toMatchObject({ code: 'unprocessable' })
    await expect(h.rpc.createRun({ ...base, priority: 11, inputJson: '{"id":"x"}' })).rejects.toMatchObject({
      code: 'unprocessable',
    })
  })

  test('gRPC gives out versions', async () => {
    const { body } = await start('plain', {})
    const [event] = await startedEvents(body.id)
    const version = await h.rpc.getVersion({ versionId: event?.data.versionId as string })
    expect(version).toMatchObject({ workflow: 'plain', version: 1, projectId: h.projectId })
    expect(JSON.parse(version.definitionJson)).toMatchObject(noop('plain'))
    await expect(h.rpc.getVersion({ versionId: randomUUID() })).rejects.toMatchObject({ code: 'not_found' })
    await expect(h.rpc.getVersion({ versionId: 'nonsense' })).rejects.toMatchObject({ code: 'not_found' })
  })
})
