import { waitFor } from '@millrace/testkit'
import { describe, expect, test } from 'vitest'
import { newUser } from '../support/client.js'
import { chromiumPath, expectAccessible, openPage, shoot, useConsole } from './browser.js'
import { openSignedIn, signIn } from './walk.js'

const once = { maxAttempts: 1 }

describe.runIf(chromiumPath)('the console’s lists and pages without a session', () => {
  const used = useConsole()

  test('runs are gone through, ticked and searched by keyboard, and new ones wait until they are asked for', async () => {
    const user = await newUser(used.target)
    const { client, project } = user
    await client.createWorkflow({ name: 'hello', tasks: { a: { uses: 'noop' } } })
    for (let n = 0; n < 3; n += 1) await client.ended((await client.startRun('hello')).id)
    const { page, faults } = await openPage(used.browser, used.target.url)
    await openSignedIn(page, user, `/p/${project.slug}/runs`)
    const rows = page.locator('tbody tr')
    await waitFor(async () => (await rows.count()) === 3)
    const active = () =>
      page.evaluate<number>(
        `[...document.querySelectorAll('tbody tr')].findIndex(({ dataset }) => dataset.active === 'true')`,
      )
    for (const [key, at] of [
      ['j', 0],
      ['j', 1],
      ['j', 2],
      ['j', 2],
      ['k', 1],
    ] as const) {
      await page.keyboard.press(key)
      await waitFor(async () => (await active()) === at)
    }
    await page.keyboard.press('x')
    await page.getByText('1 run selected').waitFor()
    expect(await rows.nth(1).getAttribute('aria-selected')).toBe('true')
    // Rows that are ticked stay where they are.
    await client.startRun('hello')
    const fresh = page.getByRole('button', { name: '1 new run, show' })
    await fresh.waitFor({ timeout: 30_000 })
    expect(await rows.count()).toBe(3)
    await fresh.click()
    await waitFor(async () => (await rows.count()) === 4)
    await page.keyboard.press('/')
    await page.waitForFunction(`document.activeElement?.id === 'runs-search'`)
    await page.keyboard.type('j')
    expect(await page.locator('#runs-search').inputValue()).toBe('j')
    expect(faults).toEqual([])
  }, 120_000)

  test('a run that begins later says when', async () => {
    const user = await newUser(used.target)
    await user.client.createWorkflow({ name: 'later', tasks: { a: { uses: 'noop' } } })
    await user.client.startRun('later', { delaySeconds: 7_200 })
    const { page } = await openPage(used.browser, used.target.url)
    await openSignedIn(page, user, `/p/${user.project.slug}/runs`)
    await page.getByText(/starts in (2 h 00 m|1 h 59 m)/).waitFor()
  }, 60_000)

  test('the tasks of a run are counted, filtered, sorted and gone through; all of them have a duration', async () => {
    const user = await newUser(used.target)
    const { client, project } = user
    const items = Array.from({ length: 230 }, (_, n) => n)
    await client.createWorkflow({
      name: 'pack',
      tasks: {
        parcels: {
          uses: 'map',
          onFailure: 'continue',
          with: {
            items: '${{ input.items }}',
            task: { uses: 'fail', with: { times: '${{ item == 220 ? 9 : 0 }}', message: 'no paper' }, retry: once },
          },
        },
        ask: { needs: ['parcels'], when: 'all_done', uses: 'approval' },
      },
    })
    const run = await client.startRun('pack', { input: { items } })
    await client.runUntil(
      run.id,
      'waits',
      ({ tasks }) => tasks.some(({ key, status }) => key === 'ask' && status === 'waiting'),
      120_000,
    )
    const { page, faults } = await openPage(used.browser, used.target.url)
    await openSignedIn(page, user, `/p/${project.slug}/runs/${run.id}`)
    for (const key of ['parcels', 'ask'])
      await page
        .locator('.node', { hasText: key })
        .getByText(/^\d[\d.]* (ms|s|m)/)
        .waitFor()
    await page.getByRole('tab', { name: 'List 232' }).click()
    await page.getByText('232 tasks').waitFor()
    await page.getByLabel('Failed only').check()
    await page.waitForURL(/only=failed/)
    await page.getByText('2 of 232 tasks').waitFor()
    // Beyond the items that a run carries.
    await page.locator('.task-key', { hasText: '[220]' }).waitFor()
    await page.getByLabel('Sort').selectOption('status')
    await page.waitForURL(/sort=status/)
    await page.getByLabel('Failed only').uncheck()
    const rows = page.locator('.task-row')
    await waitFor(async () => /failed/.test((await rows.nth(1).textContent()) ?? ''))
    expect(await rows.nth(2).textContent()).toMatch(/waiting.*ask.*\d (ms|s|m)/)
    // Where the box that was pressed last has focus, keys are commands all the same.
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('k')
    await waitFor(async () => (await rows.nth(1).getAttribute('data-active')) === 'true')
    await page.keyboard.press('Enter')
    await page.waitForURL(/task=parcels/)
    await page.getByRole('complementary', { name: 'Task parcels' }).waitFor()
    await page.getByRole('button', { name: 'Close the task' }).click()
    await shoot(page, 'run-list-by-status')
    await expectAccessible(page, 'the list of a run')
    await page.getByRole('tab', { name: 'Input and output' }).click()
    await page.getByRole('heading', { name: 'Output' }).waitFor()
    await expectAccessible(page, 'input and output of a run')
    expect(faults).toEqual([])
  }, 240_000)

  test('an approver sees how the tasks before ended, and what the nearest gave, without opening anything', async () => {
    const user = await newUser(used.target)
    const { client, project } = user
    await client.createWorkflow({
      name: 'ship',
      tasks: {
        fetch: { uses: 'noop', with: { output: { parcels: 12 } } },
        weigh: {
          needs: ['fetch'],
          uses: 'noop',
          with: { output: { kilos: Array.from({ length: 400 }, (_, n) => n) } },
        },
        label: { needs: ['fetch'], uses: 'fail', with: { message: 'the printer is out of paper' }, retry: once },
        ask: { needs: ['weigh', 'label'], when: 'all_done', uses: 'approval', with: { message: 'Ship it?' } },
      },
    })
    const run = await client.startRun('ship')
    await client.runUntil(run.id, 'waits', ({ tasks }) => tasks.some(({ status }) => status === 'waiting'))
    const narrow = { viewport: { width: 390, height: 844 } }
    const { page, faults } = await openPage(used.browser, used.target.url, narrow)
    await openSignedIn(page, user, `/p/${project.slug}/approvals`)
    const before = page.getByRole('region', { name: 'Tasks before it' })
    await before.getByText('1 of 3 tasks failed').waitFor()
    await before.getByRole('listitem').filter({ hasText: 'label' }).getByText('out of paper').waitFor()
    const beginning = page.getByRole('figure', { name: 'Beginning of Output of weigh' })
    await beginning.getByText('"kilos"').waitFor()
    expect((await beginning.boundingBox())?.height).toBeLessThan(260)
    expect(await page.getByRole('figure', { name: 'Output of fetch' }).isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Approve' }).scrollIntoViewIfNeeded()
    await shoot(page, 'approval-narrow')
    await expectAccessible(page, 'an approval, narrow')
    await page.getByText('Output of weigh · show all 404 lines').click()
    await page.getByRole('figure', { name: 'Output of weigh', exact: true }).getByText('399', { exact: true }).waitFor()
    expect(await beginning.isVisible()).toBe(false)
    expect(faults).toEqual([])
  }, 120_000)

  test('the theme is a choice that stays, and the palette finds what rooms hold', async () => {
    const user = await newUser(used.target)
    const { client, project } = user
    await client.createWorkflow({ name: 'hello', tasks: { a: { uses: 'noop' } } })
    await client.want(201, 'POST', '/api/v1/schedules', {
      body: { workflow: 'hello', every: '15m', name: 'Before the warehouse opens' },
    })
    const { page, faults } = await openPage(used.browser, used.target.url, { colorScheme: 'light' })
    await openSignedIn(page, user, `/p/${project.slug}/workflows/hello`)
    const scheme = () =>
      page.evaluate<string>(
        'getComputedStyle(document.documentElement).backgroundColor + getComputedStyle(document.body).backgroundColor',
      )
    await page.locator('.node').waitFor()
    await expectAccessible(page, 'one workflow')
    const light = await scheme()
    const choose = async (entry: string) => {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Search' }).fill(entry)
      await page.getByRole('option', { name: new RegExp(`^${entry}`) }).click()
    }
    await choose('Dark theme')
    await waitFor(async () => (await scheme()) !== light)
    await page.reload()
    await page.locator('.node').waitFor()
    expect(await scheme()).not.toBe(light)
    await choose('Theme of the system')
    await waitFor(async () => (await scheme()) === light)
    await choose('Before the warehouse opens')
    await page.waitForURL(/\/schedules\/[^/]+$/)
    // Of the platform there is nothing for those who do not administer it.
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search' }).fill('of the platform')
    await page.getByRole('option', { name: /Runs with/ }).waitFor()
    expect(await page.getByRole('option', { name: 'Users of the platform' }).count()).toBe(0)
    expect(faults).toEqual([])
  }, 120_000)

  test('whoever administers the platform reaches its settings by the palette', async () => {
    const { page } = await openPage(used.browser, used.target.url)
    await signIn(page, used.target.admin)
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search' }).fill('users of')
    await page.getByRole('option', { name: 'Users of the platform' }).click()
    await page.waitForURL(/view=users/)
  }, 60_000)

  test('pages for those who are not signed in have nothing serious that axe finds', async () => {
    const { page, faults } = await openPage(used.browser, used.target.url)
    for (const [path, heading] of [
      ['/sign-in', 'Sign in'],
      ['/forgot', 'Reset the password'],
      ['/reset?token=x', 'Choose a new password'],
      ['/verify?token=x', 'Confirm your address'],
      ['/invitations/x', 'You are invited to a project'],
    ] as const) {
      await page.goto(path)
      await page.getByRole('heading', { name: heading }).waitFor()
      await expectAccessible(page, path)
    }
    expect(faults).toEqual([])
  }, 120_000)
})
