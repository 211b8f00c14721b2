import { waitFor } from '@millrace/testkit'
import { describe, expect, test } from 'vitest'
import { login, newUser } from '../support/client.js'
import { chromiumPath, expectAccessible, openPage, shoot, useConsole } from './browser.js'
import { openSignedIn } from './walk.js'

const definition = {
  name: 'orders',
  input: { type: 'object', required: ['order'], properties: { order: { type: 'string', minLength: 4 } } },
  tasks: { a: { uses: 'noop' } },
}

describe.runIf(chromiumPath)('what the API refuses', () => {
  const used = useConsole()

  test('is said at its place, and nothing that was typed is lost', async () => {
    const user = await newUser(used.target)
    const { client, project } = user
    await client.createWorkflow(definition)
    const { page } = await openPage(used.browser, used.target.url)
    await openSignedIn(page, user, `/p/${project.slug}/workflows/orders/start`)
    const order = page.getByLabel('order *')
    const start = page.getByRole('button', { name: 'Start the run' })

    // 422: at the field.
    await order.fill('12')
    await start.click()
    await page.locator('.field-error').first().waitFor()
    expect(await order.inputValue()).toBe('12')
    await shoot(page, 'start-refused')
    await expectAccessible(page, 'a refused start')

    // No answer at all.
    await order.fill('2026-17')
    await page.route('**/workflows/orders/runs', (route) => route.abort())
    await start.click()
    await page.getByText('Millrace cannot be reached').first().waitFor()
    await page.unroute('**/workflows/orders/runs')

    // 429: the project may start no more runs today.
    const admin = await login(used.target, used.target.admin)
    const quota = (runsPerDay: number | null) =>
      admin.want(200, 'PATCH', `/api/v1/projects/${project.slug}`, { body: { quotas: { runsPerDay } } })
    // A quota is known everywhere within some seconds.
    const body = { input: { order: '2026-16' } }
    const startsAre = (status: number) =>
      waitFor(async () => (await client.call('POST', '/api/v1/workflows/orders/runs', { body })).status === status, {
        timeoutMs: 60_000,
      })
    await quota(0)
    await startsAre(429)
    await start.click()
    await page
      .getByText(/quota|runsPerDay/i)
      .first()
      .waitFor()
    expect(await order.inputValue()).toBe('2026-17')
    await quota(null)
    await startsAre(202)
    await start.click()
    await page.waitForURL(/\/runs\//)
    await page.locator('.page-head').getByText('succeeded').waitFor()
  }, 120_000)

  test('of a page says what happened, names the request, and can be asked again', async () => {
    const user = await newUser(used.target)
    const { client, project } = user
    await client.createWorkflow(definition)
    const { page } = await openPage(used.browser, used.target.url)
    await openSignedIn(page, user, `/p/${project.slug}/runs/0199a0a0-0000-7000-8000-000000000001`)
    await page.getByRole('heading', { name: 'There is nothing here' }).waitFor()
    await page.getByText('Request').waitFor()
    await shoot(page, 'not-found')
    await expectAccessible(page, 'not found')

    // 500: from the server's insides, which no request of a test brings about.
    const body = { title: 'Internal error', status: 500, code: 'internal', requestId: 'req-500' }
    await page.route('**/api/v1/workflows?*', (route) =>
      route.fulfill({ status: 500, contentType: 'application/problem+json', body: JSON.stringify(body) }),
    )
    await page.goto(`/p/${project.slug}/workflows`)
    await page.getByRole('heading', { name: 'This could not be read' }).waitFor({ timeout: 45_000 })
    await page.getByText('req-500').waitFor()
    await page.unroute('**/api/v1/workflows?*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('link', { name: 'orders' }).waitFor()

    // 409: a name that is taken. The definition stays in the editor.
    await page.goto(`/p/${project.slug}/workflows/new`)
    const editor = page.getByRole('textbox', { name: 'Definition' })
    await editor.click()
    await page.keyboard.press('Control+a')
    await page.keyboard.insertText('name: orders\ntasks:\n  kept:\n    uses: noop\n')
    await page.getByText('valid', { exact: true }).waitFor()
    await page
      .getByRole('button', { name: /^Create/ })
      .first()
      .click()
    await page
      .getByText(/There is a workflow orders already/)
      .first()
      .waitFor()
    await page.locator('.node', { hasText: 'kept' }).waitFor()
  }, 120_000)
})
