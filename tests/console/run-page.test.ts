import { waitFor } from '@millrace/testkit'
import type { Page, Request } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { newUser } from '../support/client.js'
import { addMember } from '../support/members.js'
import { chromiumPath, expectAccessible, openPage, shoot, useConsole } from './browser.js'
import { openSignedIn } from './walk.js'

const once = { maxAttempts: 1 }

describe.runIf(chromiumPath)('the page of one run', () => {
  const used = useConsole()

  test('goes on when an ended run is retried by somebody else, and so does the log in the drawer', async () => {
    const user = await newUser(used.target)
    const { client, project } = user
    const tasks = { send: { uses: 'fail', with: { times: 1, message: 'no answer' }, retry: once } }
    const run = await client.runTasks(tasks)
    await client.ended(run.id)
    const { page, faults } = await openPage(used.browser, used.target.url)
    const over: string[] = []
    const note = (request: Request) => over.push(request.url())
    // A stream that was read to its end is let go at once, which some take for a failure.
    page.on('requestfinished', note).on('requestfailed', note)
    await openSignedIn(page, user, `/p/${project.slug}/runs/${run.id}?task=send&tab=logs`)
    const log = page.getByRole('log')
    await log.getByText('attempt 1 failed').waitFor()
    await page.locator('.page-head').getByText('failed').first().waitFor()
    await waitFor(() => over.some((url) => url.includes('/logs?follow')), {
      timeoutMs: 30_000,
      what: 'the log is over',
    })
    await client.want(200, 'POST', `/api/v1/runs/${run.id}/retry`, { body: {} })
    await page.locator('.page-head').getByText('succeeded').waitFor({ timeout: 30_000 })
    await log.getByText('attempt 2 succeeded').waitFor({ timeout: 30_000 })
    // What was read before is not there twice.
    expect(await log.getByText('attempt 1 failed').count()).toBe(1)
    expect(faults).toEqual([])
  }, 120_000)

  test('draws what a failed run undid beside the tasks it undid, and offers a rerun where a retry is refused', async () => {
    const user = await newUser(used.target)
    const { client, project } = user
    const undo = { uses: 'noop' }
    const run = await client.runTasks({
      reserve: { uses: 'noop', compensate: undo },
      charge: { needs: ['reserve'], uses: 'noop', compensate: undo },
      ship: { needs: ['charge'], uses: 'fail', with: { message: 'no carrier' }, retry: once },
    })
    await client.ended(run.id)
    const { page, faults } = await openPage(used.browser, used.target.url)
    await openSignedIn(page, user, `/p/${project.slug}/runs/${run.id}`)
    await page.locator('.node[data-status="succeeded"]', { hasText: 'charge.compensate' }).click()
    const drawer = page.getByRole('complementary', { name: 'Task charge.compensate' })
    await drawer.getByText('undoes charge').waitFor()
    expect(await page.locator('.edge-undoes').count()).toBe(2)
    await shoot(page, 'run-saga')
    await expectAccessible(page, 'a run that was undone')
    // Nobody begins anew with what undoes.
    expect(await drawer.getByRole('button', { name: 'Rerun from here…' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Rerun…' }).waitFor()
    expect(await page.getByRole('button', { name: 'Retry' }).count()).toBe(0)
    await page.getByRole('tab', { name: 'Timeline' }).click()
    await page.locator('.timeline-row', { hasText: 'reserve.compensate' }).waitFor()
    expect(faults).toEqual([])
  }, 90_000)

  test('pauses and resumes it, sends the signal that it waits for, rejects with a comment, reruns with another input', async () => {
    const user = await newUser(used.target)
    const { client, project } = user
    const listen = { uses: 'signal', with: { name: 'go' } }
    const tasks = { listen, ask: { needs: ['listen'], uses: 'approval', with: { message: 'Ship it?' } } }
    await client.createWorkflow({ name: 'ship', tasks })
    const run = await client.startRun('ship', { input: { order: 1 } })
    await client.runUntil(run.id, 'waits', (view) => view.tasks[0]?.status === 'waiting')
    const { page, faults } = await openPage(used.browser, used.target.url)
    await openSignedIn(page, user, `/p/${project.slug}/runs/${run.id}?task=listen`)
    const head = page.locator('.page-head')
    await head.getByRole('button', { name: 'Pause' }).click()
    await page.locator('.toast', { hasText: 'The run is paused' }).waitFor()
    await client.runUntil(run.id, 'is paused', ({ status }) => status === 'paused')
    await head.getByRole('button', { name: 'Resume' }).click()
    await page.locator('.toast', { hasText: 'The run goes on' }).waitFor()
    await client.runUntil(run.id, 'goes on', ({ status }) => status === 'running')

    await page.getByRole('button', { name: 'Send it…' }).click()
    const signal = page.getByRole('dialog', { name: 'Send a signal' })
    await signal.getByLabel('Payload').fill('{ "carrier": ')
    expect(await signal.getByRole('button', { name: 'Send', exact: true }).isDisabled()).toBe(true)
    await signal.getByLabel('Payload').fill('{ "carrier": "snail" }')
    await signal.getByRole('button', { name: 'Send', exact: true }).click()
    await page.locator('.node[data-status="succeeded"]', { hasText: 'listen' }).waitFor()
    const listened = (await client.run(run.id)).tasks.find(({ key }) => key === 'listen')
    expect(JSON.stringify(listened?.output)).toContain('snail')

    await page.locator('.node[data-status="waiting"]', { hasText: 'ask' }).click()
    await page.getByLabel('Comment').fill('No stock left')
    await page.getByRole('button', { name: 'Reject' }).click()
    await head.getByText('failed').first().waitFor()
    const { tasks: ended } = await client.ended(run.id)
    const rejected = ended.find(({ key }) => key === 'ask')
    expect(rejected?.error).toMatchObject({ class: 'rejected' })
    expect(JSON.stringify(rejected)).toContain('No stock left')

    await page.getByRole('button', { name: 'Rerun…' }).click()
    await page.getByRole('dialog').getByLabel('Input').fill('{ "order": 2 }')
    await page.getByRole('button', { name: 'Start the rerun' }).click()
    await page.waitForURL((url) => url.pathname.includes('/runs/') && !url.pathname.includes(run.id))
    const rerun = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    expect((await client.run(rerun)).input).toEqual({ order: 2 })
    expect(faults).toEqual([])
  }, 120_000)

  test('never loses focus: it goes into a drawer, a dialog and the palette, and comes back', async () => {
    const user = await newUser(used.target)
    const { client, project } = user
    await client.createWorkflow({ name: 'hello', tasks: { a: { uses: 'noop' }, b: { needs: ['a'], uses: 'noop' } } })
    const run = await client.startRun('hello')
    await client.ended(run.id)
    const { page, faults } = await openPage(used.browser, used.target.url)
    await openSignedIn(page, user, `/p/${project.slug}/runs`)
    const link = page.getByRole('row').getByRole('link', { name: 'hello' })
    await link.focus()
    await page.keyboard.press('Enter')
    const node = page.locator('button.node').first()
    await node.waitFor()
    await expectFocus(page, '#content')

    await node.focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/task=a/)
    await expectFocus(page, 'aside.drawer')
    await page.keyboard.press('Tab')
    await expectFocus(page, 'aside.drawer [aria-label="Close the task"]')
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => !url.searchParams.has('task'))
    await expectFocus(page, 'button.node')

    const rerun = page.getByRole('button', { name: 'Rerun…' })
    await rerun.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await expectFocus(page, 'dialog *')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Rerun…')

    await page.keyboard.press('Control+k')
    await expectFocus(page, 'dialog input')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Rerun…')

    // From a menu, whose item is gone by then.
    await client.createWorkflow({ name: 'asks', tasks: { ask: { uses: 'approval' } } })
    const open = await client.startRun('asks')
    await page.goto(`/p/${project.slug}/runs/${open.id}`)
    await page.getByRole('button', { name: 'More actions' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Send a signal…' }).press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await page.evaluate('document.activeElement === document.body')).toBe(false)
    expect(faults).toEqual([])
  }, 120_000)

  test('moves for at most 150 ms, and not at all where the person asked for that', async () => {
    const user = await newUser(used.target)
    const { page } = await openPage(used.browser, used.target.url, { viewport: { width: 390, height: 844 } })
    await openSignedIn(page, user, `/p/${user.project.slug}/runs`)
    await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor()
    const longestMs = () =>
      page.evaluate<number>(`Math.max(...[...document.querySelectorAll('*')].flatMap((element) => {
        const { transitionDuration, animationDuration, animationName } = getComputedStyle(element)
        const seconds = (text) => text.split(',').map((each) => parseFloat(each) * (each.includes('ms') ? 1 : 1000))
        return [...seconds(transitionDuration), ...(animationName === 'none' ? [] : seconds(animationDuration))]
      }))`)
    expect(await longestMs()).toBeGreaterThan(0)
    expect(await longestMs()).toBeLessThanOrEqual(150)
    await page.emulateMedia({ reducedMotion: 'reduce' })
    expect(await longestMs()).toBe(0)
  }, 60_000)

  test('takes an action back with the reason when the API refuses it: the role was lost while the page was open', async () => {
    const [owner, operator] = await Promise.all([newUser(used.target), newUser(used.target)])
    const { client, project } = owner
    await addMember(used.target, project.slug, operator.id, 'operator')
    const run = await client.runTasks({ ask: { uses: 'approval', with: { message: 'Go?' } } })
    await client.runUntil(run.id, 'waits', ({ tasks }) => tasks.some(({ status }) => status === 'waiting'))
    const { page, faults } = await openPage(used.browser, used.target.url)
    await openSignedIn(page, operator, `/p/${project.slug}/runs/${run.id}?task=ask`)
    const comment = page.getByLabel('Comment')
    await comment.fill('I looked at it twice')
    await addMember(used.target, project.slug, operator.id, 'viewer')
    await page.waitForTimeout(6_000)
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.locator('.toast-bad', { hasText: /role|operator/ }).waitFor()
    expect(await comment.inputValue()).toBe('I looked at it twice')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Cancel the run' }).click()
    await page
      .locator('.toast-bad', { hasText: /role|operator/ })
      .nth(1)
      .waitFor()
    await page.locator('.page-head').getByText('running').waitFor()
    expect((await client.run(run.id)).status).toBe('running')
    expect(faults).toEqual([])
  }, 120_000)
})

const expectFocus = (page: Page, selector: string) =>
  page.waitForFunction(`document.activeElement?.matches(${JSON.stringify(selector)})`, undefined, { timeout: 10_000 })
