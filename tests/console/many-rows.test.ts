import { describe, expect, test } from 'vitest'
import { newUser } from '../support/client.js'
import { addMember } from '../support/members.js'
import { chromiumPath, expectAccessible, openPage, shoot, useConsole } from './browser.js'
import { openSignedIn } from './walk.js'

/** More than one answer of a list holds. */
const many = 210

describe.runIf(chromiumPath)('the console’s lists where a project has more than one answer holds', () => {
  const used = useConsole()

  test('the overview finds the run that is stuck behind many, and the workflow list what a rare one did', async () => {
    const user = await newUser(used.target)
    const { client, project } = user
    const ask = { ask: { uses: 'approval', with: {} } }
    await client.createWorkflow({ name: 'stuck', tasks: ask })
    await client.createWorkflow({ name: 'asks', tasks: ask })
    await client.createWorkflow({ name: 'rare', tasks: { a: { uses: 'fail', retry: { maxAttempts: 1 } } } })
    const rare = await client.startRun('rare')
    await client.ended(rare.id)
    await client.startRun('stuck')
    const items = Array.from({ length: many }, () => ({}))
    await client.want(202, 'POST', '/api/v1/workflows/asks/runs/batch', { body: { items } })
    const viewer = await newUser(used.target)
    await addMember(used.target, project.slug, viewer.id, 'viewer')
    const { page, faults } = await openPage(used.browser, used.target.url)
    await openSignedIn(page, viewer, `/p/${project.slug}/overview`)
    const open = page.getByRole('region', { name: 'Longest not ended' })
    await open.locator('li').first().getByText('stuck').waitFor()
    await open
      .getByText(/ask: waits for somebody/)
      .first()
      .waitFor()
    const failing = page.getByRole('region', { name: 'What fails most' })
    await failing.getByText('1 of 1').waitFor()
    await failing.getByText('last day').waitFor()
    await page
      .getByRole('region', { name: 'Workers' })
      .getByText(/\d+ shared workers? active/)
      .waitFor()
    await shoot(page, 'overview-many')
    await expectAccessible(page, 'an overview of many runs')
    await failing.getByRole('link', { name: /rare/ }).first().click()
    await page.getByText('1 dead letter in all').waitFor()

    await page.goto(`/p/${project.slug}/workflows`)
    const row = (name: string) => page.locator('tbody tr', { hasText: name })
    await row('rare').getByRole('img', { name: '1 recent run, 1 failed' }).waitFor()
    await row('asks')
      .getByRole('link', { name: String(many) })
      .waitFor()
    await shoot(page, 'workflows-many')
    await expectAccessible(page, 'a list of workflows')
    await page.goto(`/p/${project.slug}/workers`)
    await page.getByText(/\d+ shared workers? active/).waitFor()
    await shoot(page, 'workers-shared')
    expect(faults).toEqual([])
  }, 120_000)

  test('the deepest of more queues than a page holds is on the overview, and what waits is counted in all', async () => {
    const user = await newUser(used.target)
    const { client, project } = user
    const task = (queue: string) => ({ uses: 'nobody.executes', queue })
    const shallow = Array.from({ length: 60 }, (_, index) => [`a${index}`, task(`a-queue-${index}`)])
    const deep = Array.from({ length: 3 }, (_, index) => [`z${index}`, task('z-queue')])
    await client.runTasks(Object.fromEntries([...shallow, ...deep]))
    const { page, faults } = await openPage(used.browser, used.target.url)
    await openSignedIn(page, user, `/p/${project.slug}/overview`)
    const queues = page.getByRole('region', { name: 'Queues' })
    await queues.getByText('63 tasks waiting in all queues').waitFor()
    const [first] = await queues.locator('tbody tr').allTextContents()
    expect(first).toMatch(/^z-queue\s*3/)
    await expectAccessible(page, 'an overview of many queues')
    await queues.getByRole('link', { name: 'All queues' }).click()
    const room = page.getByRole('region', { name: 'Queues' })
    await room.getByText('63 tasks waiting', { exact: true }).waitFor()
    await room.locator('tbody tr').nth(49).waitFor()
    expect(await room.locator('tbody tr').count()).toBe(50)
    expect(faults).toEqual([])
  }, 120_000)

  test('a card of the overview that cannot be read says so in its place, and is read again', async () => {
    const user = await newUser(used.target)
    const { client, project } = user
    const { id } = await client.runTasks({ a: { uses: 'noop' } })
    await client.ended(id)
    const { page, faults } = await openPage(used.browser, used.target.url)
    const problem = { type: 'about:blank', title: 'Internal error', status: 500, detail: 'Something broke.' }
    const body = JSON.stringify({ ...problem, code: 'internal', requestId: 'req-queues' })
    let held: () => void = () => undefined
    const asked = new Promise<void>((resolve) => {
      held = resolve
    })
    await page.route('**/api/v1/queues?*', async (route) => {
      await asked
      await route.fulfill({ status: 500, contentType: 'application/problem+json', body })
    })
    await openSignedIn(page, user, `/p/${project.slug}/overview`)
    const queues = page.getByRole('region', { name: 'Queues' })
    await queues.locator('.skeleton').first().waitFor()
    held()
    await queues.getByText('req-queues').waitFor({ timeout: 45_000 })
    await page.getByRole('region', { name: 'Longest not ended' }).getByText('Everything has ended.').waitFor()
    await page.getByRole('region', { name: 'Next schedules' }).getByText('Nothing is scheduled.').waitFor()
    await shoot(page, 'overview-card-failed')
    await page.unroute('**/api/v1/queues?*')
    await queues.getByRole('button', { name: 'Try again' }).click()
    await queues.getByText('default').waitFor()
    expect(faults).toEqual([])
  }, 120_000)

  test('all dead letters that match are retried, also those that are not loaded', async () => {
    const user = await newUser(used.target)
    const { client, project } = user
    const task = { uses: 'fail', with: { times: 1, message: 'no answer' }, retry: { maxAttempts: 1 } }
    const items = Array.from({ length: many }, (_, index) => index)
    await client.createWorkflow({ name: 'parcels', tasks: { send: { uses: 'map', with: { items, task } } } })
    const run = await client.startRun('parcels')
    await client.ended(run.id, 60_000)
    const { page, faults } = await openPage(used.browser, used.target.url)
    await openSignedIn(page, user, `/p/${project.slug}/dead-letters?group=none`)
    await page.getByText('200+ dead letters match: the groups count the 200 that are loaded').waitFor()
    await page.getByText('200+', { exact: true }).waitFor()
    await shoot(page, 'dead-letters-many')
    await expectAccessible(page, 'many dead letters')
    await page.getByRole('button', { name: 'Retry all that match' }).click()
    await page.getByRole('button', { name: 'Retry all', exact: true }).click()
    const went = page.getByRole('region', { name: 'Where they went' })
    await went.getByText(`${many} dead letters retried`).waitFor({ timeout: 60_000 })
    await went.getByText('and 10 dead letters that were not loaded here.').waitFor()
    await page.getByRole('heading', { name: 'No dead letters' }).waitFor()
    expect((await client.ended(run.id, 60_000)).status).toBe('succeeded')
    expect(faults).toEqual([])
  }, 120_000)
})
