import { patiently } from '@millrace/testkit'
import { describe, expect, test } from 'vitest'
import { newUser } from '../support/client.js'
import { chromiumPath, expectAccessible, openPage, shoot, useConsole } from './browser.js'
import { orderTasks, signIn } from './walk.js'

describe.runIf(chromiumPath)('the console’s runs', () => {
  const used = useConsole()

  test(
    'an operator finds a run, watches it, reads its logs and approves it',
    async () => {
      const user = await newUser(used.target)
      const { client } = user
      await client.createWorkflow({ name: 'order-fulfilment', expectedDuration: '1s', tasks: orderTasks })
      await client.createWorkflow({
        name: 'nightly-report',
        tasks: {
          b: { uses: 'fail', with: { message: 'answered <script>alert(1)</script>' }, retry: { maxAttempts: 1 } },
        },
      })
      const failing = await client.startRun('nightly-report', { labels: { team: 'shop' } })
      const { page, faults } = await openPage(used.browser, used.target.url)
      await signIn(page, user)
      await page.getByRole('region', { name: 'What fails most' }).getByText('nightly-report').waitFor()
      // Dragging over columns zooms into their time, which is in the address; zooming out comes back.
      const bars = page.getByRole('group', { name: 'Ended runs by time' })
      await bars.getByRole('button').first().waitFor()
      const box = await bars.boundingBox()
      if (!box) throw new Error('the bars are not drawn')
      await page.mouse.move(box.x + box.width * 0.5, box.y + 20)
      await page.mouse.down()
      await page.mouse.move(box.x + box.width - 2, box.y + 20, { steps: 4 })
      await page.mouse.up()
      await page.waitForURL(/from=.*to=/)
      await page.getByRole('link', { name: 'Runs of this time' }).waitFor()
      await shoot(page, 'overview-zoomed')
      await page.getByRole('button', { name: 'Zoom out' }).click()
      await page.waitForURL((url) => !url.searchParams.has('from'))
      await shoot(page, 'overview')
      await expectAccessible(page, 'overview')
      // Without a pointer: Space clicks the column that has the focus.
      await bars.getByRole('button').last().press(' ')
      await page.waitForURL(/\/runs\?.*from=/)
      await page.goBack()
      await bars.getByRole('button').last().waitFor()
      await page.keyboard.press('g')
      await page.keyboard.press('r')
      await page.getByText('answered <script>alert(1)</script>').waitFor()

      await shoot(page, 'runs')
      await expectAccessible(page, 'runs')

      // The filter is in the address, and a run that comes to match appears by itself.
      await page.getByRole('button', { name: 'running' }).click()
      await page.waitForURL(/status=running/)
      const run = await client.startRun('order-fulfilment')
      await page.getByRole('link', { name: 'order-fulfilment' }).click()
      await page.waitForURL(new RegExp(run.id))
      await page.locator('.node[data-status="waiting"]').waitFor()
      await page
        .locator('.run-facts')
        .getByText(/late by/)
        .waitFor()
      await shoot(page, 'run-graph')

      // One selection for graph, timeline and list; the logs of the chosen task.
      await page.locator('.node', { hasText: 'pay' }).click()
      await page.waitForURL(/task=pay/)
      await page
        .getByRole('log')
        .getByText(/attempt/i)
        .first()
        .waitFor()
      await shoot(page, 'run-logs')
      await expectAccessible(page, 'one run')
      await page.getByRole('tab', { name: 'Attempts' }).click()
      await page.getByText('connection reset by peer').waitFor()
      await page.getByRole('tab', { name: 'Timeline' }).click()
      await page.locator('.timeline-row[aria-current="true"]', { hasText: 'pay' }).waitFor()
      await shoot(page, 'run-timeline')
      await expectAccessible(page, 'timeline')
      await page.reload()
      await page.locator('.timeline-row[aria-current="true"]', { hasText: 'pay' }).waitFor()

      // Back goes through what was chosen.
      await page.getByRole('tab', { name: 'List' }).click()
      await page.waitForURL(/view=list/)
      await page.goBack()
      await page.waitForURL(/view=timeline/)

      await page.getByRole('tab', { name: 'Graph' }).click()
      await page.locator('.node', { hasText: 'sign-off' }).click()
      await page.getByLabel('Comment').fill('Looks right')
      await page.getByRole('button', { name: 'Approve' }).click()
      await page.locator('.node[data-status="succeeded"]', { hasText: 'tell' }).waitFor()
      await page.locator('.page-head').getByText('succeeded').waitFor()
      const { tasks } = await client.run(run.id)
      expect(tasks.find(({ key }) => key === 'sign-off')?.output).toMatchObject({ comment: 'Looks right' })

      await page.goto(`/runs/${failing.id}`)
      await page.getByRole('button', { name: 'Retry' }).click()
      await page.getByText('Failed tasks run again').waitFor()
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Search' }).fill('order')
      await page.getByRole('option').first().waitFor()
      await shoot(page, 'palette')
      await expectAccessible(page, 'palette')
      expect(faults).toEqual([])
    },
    patiently(120_000),
  )
})
