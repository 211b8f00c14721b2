import { gzipSync } from 'node:zlib'
import { patiently, waitFor } from '@millrace/testkit'
import { describe, expect, test } from 'vitest'
import { newUser } from '../support/client.js'
import { targetIsOwn } from '../support/target.js'
import { chromiumPath, expectAccessible, openPage, shoot, useConsole } from './browser.js'
import { openSignedIn, signIn } from './walk.js'

describe.runIf(chromiumPath)('the console’s session and connection', () => {
  const used = useConsole()

  test(
    'the first load is at most 200 kB of JavaScript, and the overview stands within it',
    async () => {
      const user = await newUser(used.target)
      const { page, faults } = await openPage(used.browser, used.target.url)
      const scripts = new Map<string, number>()
      const read: Promise<unknown>[] = []
      page.on('response', (response) => {
        if (!/\.js$/.test(new URL(response.url()).pathname)) return
        read.push(response.body().then((body) => scripts.set(response.url(), gzipSync(body).length)))
      })
      await signIn(page, user)
      await page.getByRole('heading', { name: 'Nothing has run here yet' }).waitFor()
      await Promise.all(read)
      const bytes = [...scripts.values()].reduce((sum, size) => sum + size, 0)
      expect(scripts.size).toBeGreaterThan(0)
      expect(bytes, `${scripts.size} files`).toBeLessThanOrEqual(200_000)
      await shoot(page, 'overview-empty')
      await expectAccessible(page, 'an empty overview')
      expect(faults).toEqual([])
    },
    patiently(60_000),
  )

  test(
    'a session that ends while a page is open asks for the password over it, and nothing typed is lost',
    async () => {
      const user = await newUser(used.target)
      const { client, project } = user
      await client.createWorkflow({ name: 'hello', tasks: { a: { uses: 'noop' } } })
      const { page, faults } = await openPage(used.browser, used.target.url)
      await openSignedIn(page, user, `/p/${project.slug}/workflows/hello/start`)
      const typed = page.getByRole('textbox', { name: /JSON/ })
      await typed.fill('{ "typed": "and kept" }')
      const { items } = await client.get<{ items: { id: string; current?: boolean }[] }>('/api/v1/auth/sessions')
      const [ofBrowser] = items.filter(({ current }) => !current)
      await client.want(204, 'DELETE', `/api/v1/auth/sessions/${ofBrowser?.id}`)
      // The open stream of the project is refused when its identity is next looked at.
      const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
      await dialog.waitFor({ timeout: 45_000 })
      await shoot(page, 'session-ended')
      await expectAccessible(page, 'session ended')
      await page.keyboard.press('Escape')
      await page.keyboard.press('Escape')
      expect(await dialog.isVisible()).toBe(true)
      await dialog.getByLabel('Password').fill(user.password)
      await dialog.getByRole('button', { name: 'Sign in' }).click()
      await dialog.waitFor({ state: 'hidden' })
      expect(await typed.inputValue()).toBe('{ "typed": "and kept" }')
      await page.locator('.rail-live[data-state="live"]').waitFor()
      await page.getByRole('button', { name: 'Start the run' }).click()
      await page.locator('.page-head').getByText('succeeded').waitFor()
      expect(faults).toEqual([])
    },
    patiently(120_000),
  )

  test(
    'two tabs that renew at the same moment stay signed in both',
    async () => {
      const user = await newUser(used.target)
      const { page: first, context, faults } = await openPage(used.browser, used.target.url)
      await signIn(first, user)
      const second = await context.newPage()
      await second.goto(`/p/${user.project.slug}/runs`)
      for (let turn = 0; turn < 3; turn += 1) {
        // The access token is in a page's memory: a page that loads renews it by the one cookie that both share.
        await Promise.all([first.reload(), second.reload()])
        for (const page of [first, second]) await page.getByRole('navigation', { name: 'Rooms' }).waitFor()
      }
      const { items } = await user.client.get<{ items: unknown[] }>('/api/v1/auth/sessions')
      // The browser's one, and that of this test.
      expect(items).toHaveLength(2)
      expect(faults).toEqual([])
    },
    patiently(90_000),
  )

  test(
    'offline is said, what was read stays, and it goes on by itself',
    async () => {
      const user = await newUser(used.target)
      const { page, context } = await openPage(used.browser, used.target.url)
      await user.client.createWorkflow({ name: 'hello', tasks: { a: { uses: 'noop' } } })
      await openSignedIn(page, user, `/p/${user.project.slug}/workflows`)
      await page.getByRole('link', { name: 'hello' }).waitFor()
      await context.setOffline(true)
      await page.getByText('You are offline').waitFor()
      expect(await page.getByRole('link', { name: 'hello' }).isVisible()).toBe(true)
      await shoot(page, 'offline')
      await context.setOffline(false)
      await page.getByText('You are offline').waitFor({ state: 'hidden' })
      await page.locator('.rail-live[data-state="live"]').waitFor({ timeout: 45_000 })
    },
    patiently(90_000),
  )

  test(
    'a tab that nobody looks at gives its streams back and asks for nothing; looked at again, it shows what is',
    async () => {
      const user = await newUser(used.target)
      const { client, project } = user
      await client.createWorkflow({ name: 'waits', tasks: { rest: { uses: 'sleep', with: { duration: '10m' } } } })
      const run = await client.startRun('waits')
      const { page, faults } = await openPage(used.browser, used.target.url)
      await page.clock.install()
      const pathOf = (request: { url(): string }) => new URL(request.url()).pathname
      const asked: string[] = []
      const gone: string[] = []
      page.on('request', (request) => asked.push(pathOf(request)))
      page.on('requestfailed', (request) => gone.push(pathOf(request)))
      const streams = ['/api/v1/events', `/api/v1/runs/${run.id}/events`]
      const allIn = (paths: readonly string[]) => () => streams.every((path) => paths.includes(path))
      await openSignedIn(page, user, `/p/${project.slug}/runs/${run.id}`)
      await page.locator('.node[data-status]').waitFor()
      await waitFor(allIn(asked), { timeoutMs: 30_000, what: 'every stream is followed' })
      const look = (visible: boolean) =>
        page.evaluate(`
        Object.defineProperty(document, 'hidden', { value: ${!visible}, configurable: true })
        Object.defineProperty(document, 'visibilityState', { value: '${visible ? 'visible' : 'hidden'}', configurable: true })
        document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`)
      await look(false)
      await page.clock.fastForward(16_000)
      await waitFor(allIn(gone), { timeoutMs: 30_000, what: 'every stream is given back' })
      asked.length = 0
      await page.clock.fastForward(120_000)
      await client.want(200, 'POST', `/api/v1/runs/${run.id}/cancel`, { body: {} })
      await client.ended(run.id)
      expect(asked).toEqual([])
      await look(true)
      await page.locator('.page-head').getByText('cancelled').first().waitFor()
      await waitFor(() => asked.includes('/api/v1/events'), {
        timeoutMs: 30_000,
        what: 'the project is followed again',
      })
      expect(faults).toEqual([])
    },
    patiently(120_000),
  )

  // Kills what it runs on.
  test.runIf(targetIsOwn)(
    'a run on screen goes on to its end although the server is restarted under it',
    async () => {
      const user = await newUser(used.target)
      const { client, project } = user
      const tasks = {
        begin: { uses: 'noop' },
        ask: { needs: ['begin'], uses: 'approval' },
        end: { needs: ['ask'], uses: 'noop' },
      }
      await client.createWorkflow({ name: 'long', tasks })
      const run = await client.startRun('long')
      const { page } = await openPage(used.browser, used.target.url)
      await openSignedIn(page, user, `/p/${project.slug}/runs/${run.id}`)
      await page.locator('.node[data-status="waiting"]', { hasText: 'ask' }).waitFor()
      await used.target.standalone?.stop()
      await page.getByText('The stream of this run broke').waitFor()
      await page.locator('.node[data-status="succeeded"]', { hasText: 'begin' }).waitFor()
      await shoot(page, 'server-restarted')
      await used.target.standalone?.start()
      await waitFor(async () => (await client.call('GET', '/readyz')).status === 200, { timeoutMs: 60_000 })
      await client.want(200, 'POST', `/api/v1/runs/${run.id}/tasks/ask/approve`, { body: {} })
      await page.locator('.node[data-status="succeeded"]', { hasText: 'end' }).waitFor({ timeout: 60_000 })
      await page.locator('.page-head').getByText('succeeded').waitFor()
      expect(await page.getByText('The stream of this run broke').count()).toBe(0)
    },
    180_000,
  )
})
