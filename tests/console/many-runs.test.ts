import { describe, expect, test } from 'vitest'
import { newUser } from '../support/client.js'
import { chromiumPath, expectAccessible, openPage, shoot, useConsole } from './browser.js'
import { openSignedIn } from './walk.js'

describe.runIf(chromiumPath)('the console’s many, related and foreign-started runs', () => {
  const used = useConsole()

  test('all runs that match are counted, cancelled, retried and deleted at once', async () => {
    const user = await newUser(used.target)
    const { client, project } = user
    await client.createWorkflow({ name: 'asks', tasks: { ask: { uses: 'approval', with: {} } } })
    await client.createWorkflow({ name: 'other', tasks: { ask: { uses: 'approval', with: {} } } })
    const items = Array.from({ length: 63 }, () => ({}))
    await client.want(202, 'POST', '/api/v1/workflows/asks/runs/batch', { body: { items } })
    const other = await client.startRun('other')
    const { page, faults } = await openPage(used.browser, used.target.url)
    await openSignedIn(page, user, `/p/${project.slug}/runs?workflow=asks`)
    await page.getByRole('button', { name: 'Older runs' }).waitFor()
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitem', { name: 'Save these filters…' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('What asks')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.goto(`/p/${project.slug}/runs`)
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitem', { name: 'What asks' }).click()
    await page.waitForURL(/workflow=asks/)
    await page.getByRole('button', { name: 'Older runs' }).waitFor()
    await page.getByRole('checkbox', { name: 'Select all shown' }).check()
    await page.getByText('50 runs selected').waitFor()
    await page.getByRole('button', { name: 'Select all that match' }).click()
    await page.getByRole('button', { name: 'Cancel …' }).click()
    await page.getByRole('heading', { name: 'Cancel 63 runs?' }).waitFor()
    await shoot(page, 'runs-bulk')
    await expectAccessible(page, 'a bulk job')
    await page.getByRole('button', { name: 'Cancel them' }).click()
    await page.getByText('63 runs cancelled').waitFor({ timeout: 60_000 })
    expect((await client.run(other.id)).status).not.toBe('cancelled')

    const row = page.locator('tbody tr').first()
    await row.locator('.status', { hasText: 'cancelled' }).waitFor()
    await row.getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Delete 1' }).click()
    await page.getByRole('button', { name: 'Delete them' }).click()
    await page.getByText('1 run deleted').waitFor()
    const { items: left } = await client.get<{ items: { count: number }[] }>('/api/v1/runs/counts?workflow=asks')
    expect(left.reduce((sum, { count }) => sum + count, 0)).toBe(62)
    expect(faults).toEqual([])
  }, 120_000)

  test('a run leads to the run that started it, to those it started, and to its reruns', async () => {
    const user = await newUser(used.target)
    const { client, project } = user
    await client.createWorkflow({ name: 'child', tasks: { a: { uses: 'noop' } } })
    const tasks = { first: { uses: 'noop' }, sub: { needs: ['first'], uses: 'workflow', with: { name: 'child' } } }
    await client.createWorkflow({ name: 'parent', tasks })
    const run = await client.startRun('parent')
    await client.ended(run.id)
    const { page, faults } = await openPage(used.browser, used.target.url)
    await openSignedIn(page, user, `/p/${project.slug}/runs/${run.id}?view=related`)
    const children = page.getByRole('region', { name: 'Runs that it started' })
    await children.getByRole('link', { name: 'child' }).waitFor()

    // Again from one of its tasks: the task before it is not run again.
    await page.getByRole('tab', { name: 'Graph' }).click()
    await page.locator('.node', { hasText: 'sub' }).click()
    await page.getByRole('button', { name: 'Rerun from here…' }).click()
    await expectAccessible(page, 'a rerun')
    await page.getByRole('dialog').getByRole('button', { name: 'Start the rerun' }).click()
    await page.waitForURL((url) => url.pathname.includes('/runs/') && !url.pathname.includes(run.id))
    await page.locator('.page-head').getByText('succeeded').waitFor()
    await page.locator('.node', { hasText: 'first' }).getByText('reused').waitFor()
    await page.getByRole('tab', { name: 'Related runs' }).click()
    await page.getByRole('region', { name: 'A rerun of' }).getByRole('link', { name: 'parent' }).click()
    await page.waitForURL(new RegExp(run.id))
    await page.getByRole('tab', { name: 'Related runs' }).click()
    await page.getByRole('region', { name: 'Reruns of it' }).getByRole('link', { name: 'parent' }).waitFor()
    await shoot(page, 'run-related')
    await expectAccessible(page, 'related runs')
    expect(faults).toEqual([])
  }, 120_000)

  test('an editor makes a hook, whoever posts to it starts a run, and it is revoked', async () => {
    const user = await newUser(used.target)
    const { client, project } = user
    await client.createWorkflow({ name: 'orders', tasks: { a: { uses: 'noop' } } })
    const { page, faults } = await openPage(used.browser, used.target.url)
    await openSignedIn(page, user, `/p/${project.slug}/workflows/orders?view=hooks`)
    await page.getByRole('button', { name: 'New hook' }).click()
    await page.getByLabel('Input of the run').fill("{'id': body.order}")
    await expectAccessible(page, 'a new hook')
    await page.getByRole('button', { name: 'Create the hook' }).click()
    const address = await page.getByRole('textbox', { name: 'Address of the hook' }).inputValue()
    await page.getByRole('button', { name: 'I have stored it' }).click()
    const post = () =>
      fetch(address, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"order":17}' })
    const { id } = (await (await post()).json()) as { id: string }
    expect((await client.ended(id)).input).toEqual({ id: 17 })
    await page.getByText("{'id': body.order}").waitFor()
    await shoot(page, 'workflow-hooks')
    await expectAccessible(page, 'hooks')
    await page.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('No hook starts this workflow').waitFor()
    expect((await post()).status).toBe(404)
    expect(faults).toEqual([])
  }, 120_000)
})
