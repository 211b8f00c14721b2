import { patiently } from '@millrace/testkit'
import { describe, expect, test } from 'vitest'
import { newUser } from '../support/client.js'
import { chromiumPath, expectAccessible, openPage, shoot, useConsole } from './browser.js'
import { openSignedIn } from './walk.js'

const items = Array.from({ length: 500 }, (_, index) => index)
const tasks = {
  list: { uses: 'noop' },
  parcels: {
    needs: ['list'],
    uses: 'map',
    onFailure: 'continue',
    with: {
      items: '${{ input.items }}',
      task: {
        uses: 'fail',
        with: { times: '${{ item == 300 ? 9 : 0 }}', message: 'out of paper' },
        retry: { maxAttempts: 1 },
      },
    },
  },
  after: { needs: ['parcels'], when: 'all_done', uses: 'approval' },
}

describe.runIf(chromiumPath)('the console’s run of a large map', () => {
  const used = useConsole()

  test(
    'a map of 500 items is one node with its counts, and opens as a grid that leads to each item',
    async () => {
      const user = await newUser(used.target)
      const { client, project } = user
      await client.createWorkflow({ name: 'parcels', tasks })
      const run = await client.startRun('parcels', { input: { items } })
      const { page, faults } = await openPage(used.browser, used.target.url)
      await openSignedIn(page, user, `/p/${project.slug}/runs/${run.id}`)
      const node = page.locator('.node', { hasText: 'parcels' })
      await node.waitFor()
      await page.locator('.node[data-status="waiting"]', { hasText: 'after' }).waitFor({ timeout: 60_000 })
      await node.getByText('500 of 500').waitFor()
      await node.click()
      const grid = page.getByRole('group', { name: 'Items' })
      await grid.getByRole('button').nth(499).waitFor()
      await shoot(page, 'run-map')
      await expectAccessible(page, 'a map of 500 items')
      await grid.getByRole('button', { name: 'Item 300, failed' }).click()
      await page.waitForURL(/index=300/)
      await page.getByRole('complementary', { name: 'Task parcels' }).getByText('out of paper').first().waitFor()
      expect(faults).toEqual([])
    },
    patiently(120_000),
  )

  test(
    'a sub-workflow opens in its place, and its tasks lead to the child run',
    async () => {
      const user = await newUser(used.target)
      const { client, project } = user
      await client.createWorkflow({
        name: 'invoice',
        tasks: { write: { uses: 'noop' }, sign: { needs: ['write'], uses: 'noop' } },
      })
      await client.createWorkflow({
        name: 'order',
        tasks: {
          begin: { uses: 'noop' },
          bill: { needs: ['begin'], uses: 'workflow', with: { name: 'invoice' } },
          end: { needs: ['bill'], uses: 'noop' },
        },
      })
      const run = await client.startRun('order')
      await client.ended(run.id)
      const { page, faults } = await openPage(used.browser, used.target.url)
      await openSignedIn(page, user, `/p/${project.slug}/runs/${run.id}`)
      await page.getByRole('button', { name: 'Open bill in place' }).click()
      await page.waitForURL(/open=bill/)
      await page.locator('.node[data-status="succeeded"]', { hasText: 'sign' }).waitFor()
      await page.getByLabel('Critical path').check()
      await page.locator('.node[data-lit="true"]', { hasText: 'end' }).waitFor()
      await shoot(page, 'run-child')
      await expectAccessible(page, 'a sub-workflow in place')
      await page.reload()
      await page.locator('.node', { hasText: 'sign' }).click()
      await page.waitForURL(/task=sign/)
      await page.getByRole('heading', { name: 'invoice' }).waitFor()
      await page.goBack()
      await page.getByRole('button', { name: 'Close bill' }).click()
      await page.locator('.node', { hasText: 'sign' }).waitFor({ state: 'hidden' })
      expect(faults).toEqual([])
    },
    patiently(60_000),
  )
})
