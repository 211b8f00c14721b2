import { readFile } from 'node:fs/promises'
import { waitFor } from '@millrace/testkit'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { newUser } from '../support/client.js'
import { chromiumPath, expectAccessible, openPage, useConsole } from './browser.js'
import { openSignedIn } from './walk.js'

const lines = 400
const long = 'x'.repeat(900)
const script = [
  `for i in $(seq 1 ${lines}); do echo "line $i of the work"; done`,
  `printf "\\033[48;5;21mon blue\\033[0m ${long}\\n"`,
  'printf "a \\033[31mneed\\033[0mle here\\n"',
  'echo "a complaint" >&2',
  'echo "another Needle"',
].join('\n')

describe.runIf(chromiumPath)('the log of a task', () => {
  const used = useConsole({ MILLRACE_SHELL_ENABLED: 'true' })

  async function openLog(): Promise<{ page: Page; faults: string[]; address: string }> {
    const user = await newUser(used.target)
    const run = await user.client.runTasks({ work: { uses: 'shell', with: { command: script } } })
    await user.client.ended(run.id)
    const address = `/p/${user.project.slug}/runs/${run.id}?task=work&tab=logs`
    const { page, faults } = await openPage(used.browser, used.target.url, { acceptDownloads: true })
    await openSignedIn(page, user, address)
    await page.getByRole('log').getByText('another Needle').waitFor()
    return { page, faults, address }
  }

  test('is searched: matches are marked, gone through forth and back, or shown alone, as the address says', async () => {
    const { page, faults } = await openLog()
    const log = page.getByRole('log')
    const search = page.getByLabel('Search the log')
    await search.fill('needle')
    await page.waitForURL(/find=needle/)
    // One of them in two colours.
    await waitFor(async () => (await log.locator('mark').allTextContents()).join('|') === 'need|le|Needle')
    await search.press('Enter')
    await page.getByText('1 of 2', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Next match' }).click()
    await log.locator('[data-found=true]', { hasText: 'another Needle' }).waitFor()
    await search.press('Enter')
    await page.getByText('1 of 2', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Previous match' }).click()
    await page.getByText('2 of 2', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Only matches' }).click()
    await waitFor(async () => (await log.locator('.log-row').count()) === 2)
    await page.reload()
    await waitFor(async () => (await log.locator('.log-row').count()) === 2)
    expect(await search.inputValue()).toBe('needle')
    await search.fill('nothing has this')
    await page.getByText('no match').waitFor()
    expect(faults).toEqual([])
  }, 120_000)

  test('is gone through to a match that is far away, and follows its end again when asked', async () => {
    const { page } = await openLog()
    const log = page.getByRole('log')
    await page.getByLabel('Search the log').fill('line 7 of')
    await page.getByRole('button', { name: 'Next match' }).click()
    await log.getByText('line 7 of the work').waitFor()
    expect(await log.getByText('another Needle').count()).toBe(0)
    await page.getByRole('button', { name: 'Follow the end' }).click()
    await log.getByText('another Needle').waitFor()
    await log.hover()
    await page.mouse.wheel(0, -4_000)
    await page.getByRole('button', { name: 'Follow the end' }).waitFor()
  }, 90_000)

  test('has levels, wraps, shows the clock, and keeps colours of terminals', async () => {
    const { page } = await openLog()
    const log = page.getByRole('log')
    const paper = log.getByText('on blue', { exact: true })
    expect(await paper.getAttribute('style')).toContain('background-color')
    const widthOf = () => log.evaluate((element) => element.scrollWidth - element.clientWidth)
    expect(await widthOf()).toBeLessThanOrEqual(1)
    await page.getByRole('button', { name: 'No wrap' }).click()
    await waitFor(async () => (await widthOf()) > 500)
    await page.getByRole('button', { name: 'Wrap', exact: true }).click()
    const time = log.locator('.log-time').last()
    expect(await time.textContent()).toMatch(/^\+\d+\.\d{3}$/)
    await page.getByRole('button', { name: 'Clock' }).click()
    expect(await time.textContent()).toMatch(/^\d\d:\d\d:\d\d\.\d{3}$/)
    await page.getByLabel('Level').selectOption('warn')
    await page.waitForURL(/level=warn/)
    await log.getByText('a complaint').waitFor()
    await waitFor(async () => (await log.locator('.log-row').count()) === 1)
    await expectAccessible(page, 'a log')
  }, 120_000)

  test('leads to one of its lines by a link, and is downloaded whole', async () => {
    const { page, address } = await openLog()
    const log = page.getByRole('log')
    await page.getByLabel('Search the log').fill('line 9 of')
    await page.getByRole('button', { name: 'Next match' }).click()
    await log.locator('.log-row', { hasText: 'line 9 of the work' }).locator('.log-time').click()
    await page.waitForURL(/line=1\.\d+/)
    const line = new URL(page.url()).searchParams.get('line')
    await page.goto(`${address}&line=${line}`)
    await log.locator('[data-marked=true]', { hasText: 'line 9 of the work' }).waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download the log' }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/\.log$/)
    const text = await readFile(await download.path(), 'utf8')
    expect(text).toContain('line 1 of the work')
    expect(text).toContain('another Needle')
  }, 120_000)
})
