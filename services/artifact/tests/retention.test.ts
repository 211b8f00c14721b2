import { randomUUID } from 'node:crypto'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { type Harness, makeComplete, startHarness, waitFor } from './harness.js'

let h: Harness
afterEach(() => h.stop())

const age = (id: string, hours: number) =>
  h.pool.query('update artifacts set created_at = created_at - make_interval(hours => $2) where id = $1', [id, hours])
const status = async (id: string) => (await h.call('GET', `/api/v1/artifacts/${id}`)).status
const objectCount = async () => (await readdir(join(h.directory, 'objects', h.projectId)).catch(() => [])).length

describe('what is swept', () => {
  test('uploads that nobody completed within a day, with what was uploaded', async () => {
    h = await startHarness({ sweepMs: 50 })
    const { id, uploadUrl } = (await h.call('POST', '/api/v1/artifacts', { json: { name: 'a' } })).json
    const young = (await h.call('POST', '/api/v1/artifacts', { json: { name: 'b' } })).json.id
    await h.call('PUT', uploadUrl, { as: null, body: 'x' })
    expect(await objectCount()).toBe(1)
    await age(id, 25)
    await waitFor(async () => (await status(id)) === 404)
    await waitFor(async () => (await objectCount()) === 0)
    expect(await status(young)).toBe(200)
    expect((await h.events('audit.recorded')).at(-1)).toMatchObject({
      action: 'artifact.expired',
      actor: 'service:artifact',
    })
  })

  test('files older than the retention; without one they stay', async () => {
    h = await startHarness({ sweepMs: 50, retentionDays: 7 })
    const old = await makeComplete(h, 'old', 'x')
    const young = await makeComplete(h, 'young', 'x')
    await age(old, 24 * 8)
    await waitFor(async () => (await status(old)) === 404)
    expect(await status(young)).toBe(200)
    await h.stop()
    h = await startHarness({ sweepMs: 20 })
    const ancient = await makeComplete(h, 'ancient', 'x')
    await age(ancient, 24 * 3650)
    const { id } = (await h.call('POST', '/api/v1/artifacts', { json: { name: 'marker' } })).json
    await age(id, 25)
    await waitFor(async () => (await status(id)) === 404)
    expect(await status(ancient)).toBe(200)
  })

  test('files without a run as their project says, whatever the platform says', async () => {
    h = await startHarness({ sweepMs: 50, retentionDays: 7 })
    const runId = randomUUID()
    const days = (id: string, count: number) => age(id, 24 * count)
    const say = (retention: unknown, workflow = '') =>
      h.publish([
        {
          topic: 'retention.changed',
          key: h.projectId,
          data: {
            projectId: h.projectId,
            workflow,
            retentionJson: retention === null ? '' : JSON.stringify(retention),
          },
        },
      ])
    const said = async () => {
      const { rows } = await h.pool.query('select keep_ms from project_retention where project_id = $1', [h.projectId])
      return rows[0]?.keep_ms as number | null | undefined
    }
    await say({ age: '30d', runs: 5 })
    await waitFor(async () => (await said()) === 30 * 86_400_000)
    const [young, kept] = [await makeComplete(h, 'young', 'x'), await makeComplete(h, 'kept', 'x')]
    await days(kept, 29)
    const [old, ofRun] = [await makeComplete(h, 'old', 'x'), await makeComplete(h, 'of a run', 'x', { runId })]
    await days(old, 31)
    await waitFor(async () => (await status(old)) === 404)
    // The platform's word still counts for files of runs.
    await days(ofRun, 8)
    await waitFor(async () => (await status(ofRun)) === 404)
    expect([await status(young), await status(kept)]).toEqual([200, 200])
    // A workflow speaks of its runs alone; what says nothing of an age takes the project's word back.
    await say('1d', 'nightly')
    await say(0)
    await waitFor(async () => (await said()) === 0)
    await say({ runs: 5 })
    await waitFor(async () => (await status(kept)) === 404)
    expect(await status(young)).toBe(200)
    await h.publish([{ topic: 'project.deleted', key: h.projectId, data: { projectId: h.projectId, slug: 's' } }])
    await waitFor(async () => (await said()) === undefined)
  })

  test('objects whose upload was cut off by a crash between disk and database', async () => {
    h = await startHarness({ sweepMs: 50 })
    const key = `${h.projectId}/${randomUUID()}.${randomUUID()}`
    await makeComplete(h, 'whole', 'x')
    await writeFile(join(h.directory, 'objects', key), 'orphan')
    await h.pool.query("insert into object_trash values ($1, now() + interval '1 hour')", [key])
    expect(await objectCount()).toBe(2)
    await h.pool.query(`update object_trash set delete_after = now()`)
    await waitFor(async () => (await objectCount()) === 1)
  })

  test('half-written files, when the service starts', async () => {
    h = await startHarness()
    await writeFile(join(h.directory, 'incoming', 'half.part'), 'half')
    await h.restart()
    expect(await readdir(join(h.directory, 'incoming'))).toEqual([])
  })
})

describe('when a workflow is archived', () => {
  const archive = (workflow: string) =>
    h.publish([
      {
        topic: 'workflow.deleted',
        key: randomUUID(),
        data: { workflowId: randomUUID(), projectId: h.projectId, workflow },
      },
    ])
  const retainUntil = async (id: string) =>
    (await h.pool.query('select retain_until from artifacts where id = $1', [id])).rows[0]?.retain_until as Date | null
  const passed = async () => {
    const head = (await h.pool.query('select max(id) as id from events.log')).rows[0].id
    const { rows } = await h.pool.query(`select position from events.groups where name = 'artifact'`)
    return rows[0].position >= head
  }

  test('files of its runs stay', async () => {
    h = await startHarness()
    const runId = randomUUID()
    h.scheduler.workflows.set(runId, 'nightly')
    const id = await makeComplete(h, 'a', 'x', { runId })
    await archive('nightly')
    await waitFor(passed)
    expect(await retainUntil(id)).toBeNull()
    expect(await status(id)).toBe(200)
  })

  test('they end after the time set for that, and a new workflow of that name keeps its own', async () => {
    h = await startHarness({ archivedRetentionDays: 10 })
    const [nightly, hourly, again] = [randomUUID(), randomUUID(), randomUUID()]
    h.scheduler.workflows.set(nightly, 'nightly').set(hourly, 'hourly').set(again, 'nightly')
    const ending = await makeComplete(h, 'a', 'x', { runId: nightly })
    const other = await makeComplete(h, 'b', 'x', { runId: hourly })
    await archive('nightly')
    const later = await makeComplete(h, 'c', 'x', { runId: again })
    await waitFor(passed)
    const until = await retainUntil(ending)
    expect((until?.getTime() ?? 0) - Date.now()).toBeGreaterThan(9 * 86_400_000)
    expect([await retainUntil(other), await retainUntil(later)]).toEqual([null, null])
  })
})

test('it says whether it is ready', async () => {
  h = await startHarness()
  const ready = await h.call('GET', '/readyz', { as: null })
  expect([ready.status, ready.json.dependencies]).toEqual([200, { postgres: 'up', storage: 'up' }])
})
