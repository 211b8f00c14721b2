import { describe, expect, test } from 'vitest'
import { newUser } from '../support/client.js'
import { chromiumPath, openPage, useConsole } from './browser.js'
import { signIn } from './walk.js'

/** Waits on a deployment of many processes that shares its machine with others. */
const patient = { timeout: 120_000 }

/**
 * The short walk that `make test-stack` takes through Envoy: files, policy, cookie, streams and logs. It needs nothing but
 * a gateway, so it runs on whichever deployment MILLRACE_TARGET_URL names.
 */
describe.runIf(chromiumPath)('the console behind the gateway', () => {
  const used = useConsole()

  test('signs in by cookie, watches a run end live, reads its log, and stays signed in after a reload', async () => {
    const user = await newUser(used.target)
    const { client, project } = user
    await client.createWorkflow({
      name: 'hello',
      tasks: {
        greet: { uses: 'noop' },
        ask: { needs: ['greet'], uses: 'approval' },
        end: { needs: ['ask'], uses: 'noop' },
      },
    })
    const { page, context, faults } = await openPage(used.browser, used.target.url)
    page.setDefaultTimeout(patient.timeout)
    const first = await page.goto('/')
    expect(first?.headers()['content-security-policy']).toContain("script-src 'self'")
    expect(first?.headers()['cache-control']).toContain('no-cache')
    await signIn(page, user)
    const cookies = await context.cookies(`${used.target.url}/api/v1/auth/refresh`)
    expect(cookies.filter(({ httpOnly, sameSite }) => httpOnly && sameSite === 'Strict')).toHaveLength(1)
    await page.getByRole('link', { name: 'Runs', exact: true }).click()
    await page.locator('.rail-live[data-state="live"]').waitFor(patient)
    const run = await client.startRun('hello')
    await page.getByRole('link', { name: 'hello' }).click()
    await page.waitForURL(new RegExp(run.id))
    await page.locator('.node[data-status="waiting"]', { hasText: 'ask' }).click()
    await page.getByLabel('Comment').fill('Looks right')
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.locator('.node[data-status="succeeded"]', { hasText: 'end' }).waitFor(patient)
    await page.locator('.node', { hasText: 'greet' }).click()
    await page.getByRole('tab', { name: 'Logs' }).click()
    await page
      .getByRole('log')
      .getByText(/succeeded/)
      .first()
      .waitFor({ timeout: 300_000 })
    await page.reload()
    await page.locator('.node[data-status="succeeded"]', { hasText: 'end' }).waitFor(patient)
    await page.goto(`/p/${project.slug}/overview`)
    await page.getByRole('list', { name: 'Runs by status' }).waitFor(patient)
    expect(faults).toEqual([])
  }, 600_000)
})
