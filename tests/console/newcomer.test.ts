import { randomUUID } from 'node:crypto'
import { patiently } from '@millrace/testkit'
import { describe, expect, test } from 'vitest'
import { chromiumPath, expectAccessible, openPage, shoot, useConsole } from './browser.js'

describe.runIf(chromiumPath)('a newcomer', () => {
  const used = useConsole()

  test(
    'registers, runs an example, edits it, sees the mistake marked, saves and starts it by its form',
    async () => {
      const { page, faults } = await openPage(used.browser, used.target.url)
      await page.goto('/')
      await page.getByRole('link', { name: 'Create an account' }).click()
      await shoot(page, 'register')
      await expectAccessible(page, 'register')
      await page.getByLabel('Name').fill('Ada')
      await page.getByLabel('Email').fill(`${randomUUID()}@example.test`)
      await page.getByLabel('Password').fill(`a long password ${randomUUID()}`)
      await page.getByRole('button', { name: 'Create account' }).click()

      await page.getByRole('link', { name: 'Workflows' }).click()
      await page.getByRole('heading', { name: 'No workflows yet' }).waitFor()
      await shoot(page, 'workflows-empty')
      await page.getByRole('button', { name: 'Create and run' }).first().click()
      await page.locator('.node[data-status="succeeded"]', { hasText: 'greet' }).waitFor()
      await page.locator('.page-head').getByText('succeeded').waitFor()

      await page.goto(page.url().replace(/\/runs\/.*/, '/workflows/hello/edit'))
      const editor = page.getByRole('textbox', { name: 'Definition' })
      await editor.click()
      await page.keyboard.press('Control+End')
      await page.keyboard.type('  third:\n  needs: [nobody]\nuses: noop\n')
      await page.getByText('1 fault').waitFor()
      await page.locator('.cm-lint-marker-error').waitFor()
      await shoot(page, 'editor-fault')
      expect(await page.getByRole('button', { name: 'Save a new version' }).isDisabled()).toBe(true)
      await page.keyboard.press('Control+z')
      for (let n = 0; n < 6 && (await page.getByText('valid', { exact: true }).count()) === 0; n += 1) {
        await page.keyboard.press('Control+z')
      }
      await page.keyboard.press('Control+End')
      await page.keyboard.type('  third:\n  needs: [rest]\nuses: noop\n')
      await page.locator('.node', { hasText: 'third' }).waitFor()
      await page.getByText('valid', { exact: true }).waitFor()
      await shoot(page, 'editor')
      await expectAccessible(page, 'editor')
      await page.getByRole('button', { name: 'Save a new version' }).click()
      await page.getByText('Saved hello, version 2').waitFor()

      // Whoever begins another one may still begin with an example.
      const versions = page.url().replace('/edit', '?view=versions')
      await page.goto(page.url().replace('/hello/edit', '/new'))
      await page.getByLabel('Begin with').selectOption({ index: 2 })
      await page.waitForURL(/example=/)
      await page.locator('.node').nth(1).waitFor()

      await page.goto(versions)
      await page.getByText('to version 2').waitFor()
      await page.getByText('third:').waitFor()
      await shoot(page, 'workflow-versions')
      await expectAccessible(page, 'versions')
      await page.getByRole('link', { name: 'Start a run' }).click()
      await page.getByLabel('name', { exact: true }).fill('<img src=x onerror=alert(1)>')
      expect(await page.getByLabel('The same as JSON').inputValue()).toContain('<img src=x onerror=alert(1)>')
      await shoot(page, 'start')
      await expectAccessible(page, 'start')
      await page.getByRole('button', { name: 'Start the run' }).click()
      await page.locator('.node[data-status="succeeded"]', { hasText: 'third' }).waitFor()
      await page.getByRole('tab', { name: 'Input and output' }).click()
      await page.getByText('Hello, <img src=x onerror=alert(1)>!').waitFor()
      await shoot(page, 'run-data')
      await page.keyboard.press('g')
      await page.keyboard.press('w')
      await page.getByRole('img', { name: '2 recent runs, 0 failed' }).waitFor()
      await shoot(page, 'workflows')
      await expectAccessible(page, 'workflows')
      expect(faults).toEqual([])
    },
    patiently(120_000),
  )
})
