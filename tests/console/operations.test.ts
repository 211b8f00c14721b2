import { patiently, waitFor } from '@millrace/testkit'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { newUser } from '../support/client.js'
import { addMember } from '../support/members.js'
import { chromiumPath, expectAccessible, openPage, shoot, useConsole } from './browser.js'
import { openSignedIn, orderTasks, signIn } from './walk.js'

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

/** Nothing may be wider than the screen: on a phone that means scrolling sideways. */
/** Wholly on screen, with nothing over it. */
async function expectInView(page: Page, name: string): Promise<void> {
  const button = page.getByRole('button', { name, exact: true })
  const box = await button.boundingBox()
  const { height } = page.viewportSize() ?? { height: 0 }
  expect(box, name).not.toBeNull()
  expect(box?.y, name).toBeGreaterThanOrEqual(0)
  expect((box?.y ?? 0) + (box?.height ?? 0), name).toBeLessThanOrEqual(height)
  await button.click({ trial: true })
}

const expectNoSidewaysScroll = async (page: Page) =>
  expect(await page.evaluate('document.querySelector("#content").scrollWidth')).toBeLessThanOrEqual(390)

describe.runIf(chromiumPath)('the console’s approvals, dead letters and schedules', () => {
  const used = useConsole()

  test(
    'an operator mends the input of a dead letter, retries it, retries many, and sees where they went',
    async () => {
      const user = await newUser(used.target)
      const { client } = user
      const message = 'order 17 was refused <img src=x onerror=alert(1)>'
      const tasks = { pay: { uses: 'fail', with: { message }, retry: { maxAttempts: 1 } } }
      await client.createWorkflow({ name: 'orders', tasks })
      const slow = { uses: 'fail', with: { class: 'timeout', message: 'no answer' }, retry: { maxAttempts: 1 } }
      await client.createWorkflow({ name: 'parcels', tasks: { send: slow } })
      const starts = ['orders', 'parcels', 'parcels', 'parcels'].map((name) => client.startRun(name))
      const [order] = await Promise.all(starts.map(async (start) => client.ended((await start).id)))
      const { page, faults } = await openPage(used.browser, used.target.url)
      await signIn(page, user)
      await page.keyboard.press('g')
      await page.keyboard.press('d')
      const parcels = page.locator('.dead-letter-group', { hasText: 'parcels' })
      await parcels.getByText('3', { exact: true }).waitFor()
      await shoot(page, 'dead-letters')
      await expectAccessible(page, 'dead letters')

      await page.getByRole('button', { name: /orders/ }).click()
      await page.waitForURL(/group=orders/)
      await page.getByRole('link', { name: 'pay' }).click()
      const input = page.getByLabel('What the task is given')
      await input.fill('{ "times": 1')
      expect(await page.getByRole('button', { name: 'Retry with the edited input' }).isDisabled()).toBe(true)
      await input.fill('{ "times": 0 }')
      await shoot(page, 'dead-letter')
      await expectAccessible(page, 'one dead letter')
      await page.getByRole('button', { name: 'Retry with the edited input' }).click()
      await page.getByText('Retried: the task runs again in').waitFor()
      await page.locator('.page-head').getByText('succeeded').waitFor()
      expect((await client.run(order?.id ?? '')).status).toBe('succeeded')

      await page.goBack()
      await page.getByRole('checkbox', { name: /Select all of parcels/ }).check()
      await page.getByRole('button', { name: 'Retry 3' }).click()
      await page.getByRole('button', { name: 'Retry them' }).click()
      const went = page.getByRole('region', { name: 'Where they went' })
      await went.getByText('3 dead letters retried').waitFor()
      await went
        .getByRole('link', { name: /parcels/ })
        .first()
        .waitFor()
      await shoot(page, 'dead-letters-retried')
      // They fail again, and come back as new dead letters by themselves.
      await went.getByText('failed').first().waitFor()
      await page.getByRole('checkbox', { name: /Select all of parcels/ }).check()
      await page.getByRole('button', { name: /Delete \d/ }).click()
      await page.getByRole('button', { name: 'Delete them' }).click()
      await page.getByText(/dead letters? deleted/).waitFor()
      expect(faults).toEqual([])
    },
    patiently(120_000),
  )

  test(
    'an approver with a phone and a link sees what it is about, and approves',
    async () => {
      const user = await newUser(used.target)
      const { client, project } = user
      const items = Array.from({ length: 120 }, (_, index) => index)
      const manifest = { needs: ['parcels'], uses: 'noop', with: { output: items } }
      const signOff = { ...orderTasks['sign-off'], needs: ['manifest'] }
      const tasks = { ...orderTasks, manifest, 'sign-off': signOff }
      await client.createWorkflow({ name: 'order-fulfilment', tasks })
      const run = await client.startRun('order-fulfilment', { input: { order: 4711 }, labels: { team: 'shop' } })
      await client.runUntil(run.id, 'waits', ({ tasks }) => tasks.some(({ status }) => status === 'waiting'))
      const { page, faults } = await openPage(used.browser, used.target.url, phone)
      await openSignedIn(page, user, `/p/${project.slug}/approvals`)
      await page.getByRole('button', { name: /Ship it\?/ }).waitFor()
      await page.getByText('4711').waitFor()
      // What is long is closed and says so; opened, it is longer than the screen, and the decision stays on it.
      for (const viewport of [phone.viewport, { width: 1360, height: 860 }]) {
        await page.setViewportSize(viewport)
        for (const name of ['Approve', 'Reject']) await expectInView(page, name)
        const output = page.getByText(/Output of manifest/)
        await output.click()
        await page.getByRole('figure', { name: 'Output of manifest', exact: true }).getByText('119').waitFor()
        for (const name of ['Approve', 'Reject']) await expectInView(page, name)
        await output.click()
      }
      await page.setViewportSize(phone.viewport)
      await expectNoSidewaysScroll(page)
      await shoot(page, 'approvals-narrow')
      await expectAccessible(page, 'approvals')
      await page.getByLabel('Comment').fill('Looks right')
      await page.getByRole('button', { name: 'Approve', exact: true }).click()
      await page.getByRole('heading', { name: 'Nothing waits for you' }).waitFor()
      const { tasks: ended } = await client.ended(run.id)
      expect(ended.find(({ key }) => key === 'sign-off')?.output).toMatchObject({ comment: 'Looks right' })

      await page.goto(`/p/${project.slug}/runs/${run.id}`)
      await page.locator('.task-row', { hasText: 'sign-off' }).waitFor()
      await expectNoSidewaysScroll(page)
      await shoot(page, 'run-narrow')
      await expectAccessible(page, 'one run, narrow')
      await page.goto(`/p/${project.slug}/overview`)
      await page.getByRole('list', { name: 'Runs by status' }).waitFor()
      await page.getByRole('region', { name: 'Queues' }).waitFor()
      await expectNoSidewaysScroll(page)
      await shoot(page, 'overview-narrow')
      await expectAccessible(page, 'overview, narrow')
      expect(faults).toEqual([])
    },
    patiently(120_000),
  )

  test(
    'an editor sets a schedule, sees it in words, pauses it, runs it and fills in its past',
    async () => {
      const user = await newUser(used.target)
      const { client } = user
      await client.createWorkflow({ name: 'nightly', tasks: { a: { uses: 'noop' } } })
      const { page, faults } = await openPage(used.browser, used.target.url, { timezoneId: 'America/New_York' })
      await signIn(page, user)
      await page.getByRole('link', { name: 'Schedules' }).click()
      await page.getByRole('heading', { name: 'No schedules yet' }).waitFor()
      await page.getByRole('link', { name: 'New schedule' }).first().click()
      await page.getByRole('button', { name: 'Create the schedule' }).click()
      await page.getByText('Choose a workflow.').waitFor()
      await page.getByLabel('Workflow').fill('nightly')
      await page.getByLabel('Cron expression').fill('0 0 31 2 *')
      await page.getByLabel('Time zone').fill('Europe/Berlin')
      await page.getByRole('button', { name: 'Create the schedule' }).click()
      await page.getByRole('alert').getByText('never comes due').waitFor()
      await page.getByLabel('Cron expression').fill('30 2 * * 1-5')
      await page.getByText('At 02:30 Monday to Friday').waitFor()
      await shoot(page, 'schedule-form')
      await expectAccessible(page, 'the form of a schedule')
      await page.getByRole('button', { name: 'Create the schedule' }).click()

      const next = page.getByRole('region', { name: 'Next ten' })
      await next.getByText('You, America/New_York').waitFor()
      expect(await next.getByRole('row').count()).toBe(11)
      await shoot(page, 'schedule')
      await expectAccessible(page, 'one schedule')
      await page.getByRole('button', { name: 'Pause' }).click()
      await page.getByRole('button', { name: 'Resume' }).waitFor()
      await page.getByText('The schedule starts no runs until it is resumed').waitFor()

      await page.getByRole('button', { name: 'Backfill…' }).click()
      await page.getByLabel('From').fill('2026-03-02T00:00')
      await page.getByLabel('To, not included').fill('2026-03-05T00:00')
      await page.getByText('3 ticks').waitFor()
      await shoot(page, 'schedule-backfill')
      await expectAccessible(page, 'backfill')
      await page.getByRole('button', { name: 'Start 3 runs' }).click()
      await page.getByText('3 runs on their way').waitFor()
      const runs = async () => (await client.all<{ status: string }>('/api/v1/runs?workflow=nightly')).length === 3
      await waitFor(runs, { what: 'runs of the backfill' })
      await page.getByRole('region', { name: 'Runs' }).getByRole('link', { name: 'nightly' }).nth(2).waitFor()
      await page.getByRole('button', { name: 'Run now' }).click()
      await page.waitForURL(/\/runs\//)
      await page.locator('.page-head').getByText('succeeded').waitFor()
      await page.keyboard.press('g')
      await page.keyboard.press('s')
      await page.getByText('paused').waitFor()
      await shoot(page, 'schedules')
      await expectAccessible(page, 'schedules')
      expect(faults).toEqual([])
    },
    patiently(120_000),
  )

  test(
    'a viewer sees the rooms and is told which role changes need',
    async () => {
      const [owner, viewer] = await Promise.all([newUser(used.target), newUser(used.target)])
      await addMember(used.target, owner.project.slug, viewer.id, 'viewer')
      await owner.client.createWorkflow({
        name: 'orders',
        tasks: { pay: { uses: 'fail', with: { message: 'refused' }, retry: { maxAttempts: 1 } } },
      })
      await owner.client.ended((await owner.client.startRun('orders')).id)
      const { page, faults } = await openPage(used.browser, used.target.url)
      await openSignedIn(page, viewer, `/p/${owner.project.slug}/dead-letters`)
      await page.getByRole('link', { name: 'pay' }).click()
      await page.getByText('You need the role operator to retry or delete.').waitFor()
      expect(await page.getByRole('button', { name: 'Retry' }).isDisabled()).toBe(true)
      await page.goto(`/p/${owner.project.slug}/schedules/new`)
      await page.getByText('You need the role editor.').waitFor()
      await page.goto(`/p/${owner.project.slug}/approvals`)
      await page.getByText('You are a viewer here.').waitFor()
      const waits = await owner.client.runTasks({
        ask: { uses: 'approval', with: { message: 'Go?' } },
        listen: { uses: 'signal', with: { name: 'go' } },
      })
      await owner.client.runUntil(waits.id, 'waits', ({ tasks }) => tasks.every(({ status }) => status === 'waiting'))
      await page.goto(`/p/${owner.project.slug}/runs/${waits.id}?task=ask`)
      await page.getByText('You need the role operator to decide.').waitFor()
      for (const name of ['Approve', 'Reject']) {
        const button = page.getByRole('button', { name, exact: true })
        expect([await button.isDisabled(), await button.getAttribute('title')]).toEqual([
          true,
          'You need the role operator',
        ])
      }
      await page.goto(`/p/${owner.project.slug}/runs/${waits.id}?task=listen`)
      const send = page.getByRole('button', { name: 'Send it…' })
      await send.waitFor()
      expect([await send.isDisabled(), await send.getAttribute('title')]).toEqual([true, 'You need the role operator'])
      await expectAccessible(page, 'no approvals')
      expect(faults).toEqual([])
    },
    patiently(60_000),
  )
})
