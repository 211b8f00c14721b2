import { waitFor } from '@millrace/testkit'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { newUser } from '../../support/client.js'
import { RemoteWorker } from '../../support/remote-worker.js'
import { expectAccessible, openPage, shoot, useConsole } from '../browser.js'
import { openSignedIn } from '../walk.js'
import { type Shop, seedShop } from './seed.js'

/** Every room in both themes, with realistic data. `make screenshots` keeps them in docs/images/console. */
const used = useConsole({ MILLRACE_SHELL_ENABLED: 'true' })

const only = (process.env.MILLRACE_SCREENSHOTS_ONLY ?? '').split(',').filter((name) => name !== '')
const isWanted = (name: string) => only.length === 0 || only.includes(name)

const settled = async (page: Page) => {
  const waits = page.locator('[aria-busy=true], .skeleton')
  await waitFor(async () => (await waits.count()) === 0, { timeoutMs: 20_000, what: `${page.url()} is drawn` })
  if (
    /workflows\/[^/]+$|runs\/[^/?]+(\?task=.*)?$/.test(page.url()) &&
    !/new$|view=/.test(page.url()) &&
    (page.viewportSize()?.width ?? 0) > 760
  )
    await page.locator('.node').first().waitFor()
  // Fonts, a layout from its worker: two frames in which nothing changes would not tell.
  await page.waitForTimeout(600)
}

/** A worker of the project's own, which does not call a host for now. */
async function breakCircuit({ client }: Shop): Promise<void> {
  const { key } = await client.createKey('worker')
  const worker = await new RemoteWorker(used.target.grpcAddress, key, 'warehouse-eu-1').register('warehouse.pick')
  worker.circuits = [{ uses: 'http', peer: 'payments.example:443', retryAfterMs: 45_000 }]
  await worker.heartbeat()
  await worker.close()
}

/** What is seen before there is anything: signed out, and in a project without a run. */
async function showBeginnings(): Promise<void> {
  const { page, context } = await openPage(used.browser, used.target.url)
  const room = async (name: string, path: string) => {
    if (!isWanted(name)) return
    await page.goto(path)
    await page.getByRole('heading').first().waitFor()
    await settled(page)
    await shoot(page, name)
    await expectAccessible(page, name)
  }
  await room('sign-in', '/sign-in')
  const user = await newUser(used.target, { name: 'Lin Moreau', email: 'lin@moreau.example' })
  const at = `/p/${user.project.slug}`
  await openSignedIn(page, user, `${at}/overview`)
  await page.getByRole('navigation', { name: 'Rooms' }).waitFor()
  for (const name of ['overview', 'runs', 'approvals', 'dead-letters']) await room(`${name}-empty`, `${at}/${name}`)
  await context.close()
}

async function showPlatform(): Promise<void> {
  const { page, context } = await openPage(used.browser, used.target.url)
  await openSignedIn(page, used.target.admin, '/')
  await page.getByRole('link', { name: 'Settings' }).click()
  for (const name of ['Users', 'Projects']) {
    if (!isWanted(`settings-${name.toLowerCase()}`)) continue
    await page.getByRole('tab', { name }).click()
    await settled(page)
    await shoot(page, `settings-${name.toLowerCase()}`)
    await expectAccessible(page, name)
  }
  await context.close()
}

/** Every dialog that asks for something, opened and left alone. */
async function expectDialogsAccessible(page: Page, { slug, failedRunId, logRunId }: Shop): Promise<void> {
  const dialogs: [string, string | RegExp][] = [
    [`runs/${failedRunId}?task=charge`, 'Rerun from here…'],
    [`runs/${logRunId}?task=deploy`, 'Send it…'],
    ['notifications', 'New subscription'],
    ['settings?view=members', 'Invite'],
    ['settings?view=keys', 'Create a key'],
    ['settings?view=secrets', 'Add a secret'],
    ['workflows/nightly-report?view=hooks', 'New hook'],
    ['workers', /^Settings of/],
  ]
  for (const [path, name] of dialogs) {
    await page.goto(`/p/${slug}/${path}`)
    await page
      .getByRole('button', { name, exact: typeof name === 'string' })
      .first()
      .click()
    await page.getByRole('dialog').waitFor()
    await expectAccessible(page, `${path}: ${name}`)
  }
}

test('every room', async () => {
  const shop = await seedShop(used.target)
  const { page, faults } = await openPage(used.browser, used.target.url)
  await openSignedIn(page, shop.person, `/p/${shop.slug}/overview?range=1h`)
  await page.getByRole('navigation', { name: 'Rooms' }).waitFor()
  await waitFor(
    async () =>
      (await shop.client.get<{ items: { status: string; count: number }[] }>('/api/v1/runs/counts')).items.every(
        ({ status, count }) => status !== 'queued' || count < 6,
      ),
    { timeoutMs: 120_000 },
  )
  const dlq = await shop.client.get<{ items: { id: string }[] }>('/api/v1/dlq?limit=1&workflow=refund')
  const schedules = await shop.client.get<{ items: { id: string; name?: string }[] }>('/api/v1/schedules')
  const subscriptions = await shop.client.get<{ items: { id: string; channel: { type: string } }[] }>(
    '/api/v1/subscriptions',
  )
  const order = `runs/${shop.orderRunId}`
  // The time in which there were runs, brushed; the hour around it holds nothing.
  const brushed = new URLSearchParams({ from: shop.since.toISOString(), to: new Date().toISOString() })
  const rooms: [string, string][] = [
    ['overview', `overview?${brushed}`],
    ['runs', 'runs'],
    ['runs-failed', 'runs?status=failed'],
    ['runs-none', 'runs?q=nothing-has-this-text'],
    ['run-graph', order],
    ['run-timeline', `${order}?view=timeline`],
    ['run-list', `${order}?view=list`],
    ['run-map', `${order}?task=pack-parcels`],
    ['run-approval', `${order}?task=sign-off`],
    ['run-data', `${order}?view=data`],
    ['run-logs', `runs/${shop.logRunId}?task=build&tab=logs`],
    ['run-failed', `runs/${shop.failedRunId}?task=charge`],
    ['workflows', 'workflows'],
    ['workflow', 'workflows/order-fulfilment'],
    ['run-artifacts', `${order}?task=fetch-order&tab=artifacts`],
    ['run-related', `runs/${shop.failedRunId}?view=related`],
    ['run-saga', `runs/${shop.undoneRunId}?task=charge-card.compensate`],
    ['run-saga-timeline', `runs/${shop.undoneRunId}?view=timeline`],
    ['workflow-schedules', 'workflows/nightly-report?view=schedules'],
    ['workflow-yaml', 'workflows/order-fulfilment?view=yaml'],
    ['workflow-versions', 'workflows/sync-inventory?view=versions'],
    ['workflow-stats', 'workflows/nightly-report?view=tasks'],
    ['workflow-hooks', 'workflows/nightly-report?view=hooks'],
    ['workflow-runs', 'workflows/nightly-report?view=runs'],
    ['editor', 'workflows/order-fulfilment/edit'],
    ['new-workflow', 'workflows/new'],
    ['start', 'workflows/order-fulfilment/start'],
    ['approvals', 'approvals'],
    ['schedules', 'schedules'],
    ['schedule', `schedules/${schedules.items.find(({ name }) => name === 'Stock levels to the shop')?.id}`],
    ['schedule-form', 'schedules/new'],
    ['dead-letters', 'dead-letters'],
    ['dead-letter', `dead-letters/${dlq.items[0]?.id}`],
    ['workers', 'workers'],
    ['notifications', 'notifications'],
    ['notification', `notifications/${subscriptions.items.find(({ channel }) => channel.type === 'webhook')?.id}`],
    [
      'notification-verify',
      `notifications/${subscriptions.items.find(({ channel }) => channel.type === 'webhook')?.id}?view=verify`,
    ],
    ['artifacts', 'artifacts'],
    ...['members', 'keys', 'secrets', 'audit', 'project', 'profile'].map((view): [string, string] => [
      `settings-${view}`,
      // The schedule of every five seconds has most of the log.
      `settings?view=${view}${view === 'audit' ? `&actor=user:${shop.person.id}` : ''}`,
    ]),
  ]
  await showBeginnings()
  await showPlatform()
  for (const [name, path] of rooms.filter(([name]) => isWanted(name))) {
    if (name === 'workers') await breakCircuit(shop)
    await page.goto(`/p/${shop.slug}/${path}`)
    await settled(page)
    await shoot(page, name)
    await expectAccessible(page, name)
  }
  if (only.length === 0) await showDialogs(page, shop)
  await page.setViewportSize({ width: 390, height: 844 })
  for (const [name, path] of rooms.filter(([name]) =>
    /^(overview|runs|run-list|run-graph|run-approval|approvals|workflows|schedules|dead-letters)$/.test(name),
  )) {
    if (!isWanted(`${name}-narrow`)) continue
    await page.goto(`/p/${shop.slug}/${path}`)
    await settled(page)
    await shoot(page, `${name}-narrow`)
    await expectAccessible(page, `${name}, narrow`)
  }
  expect(faults).toEqual([])
}, 1_200_000)

async function showDialogs(page: Page, shop: Shop): Promise<void> {
  await page.goto(`/p/${shop.slug}/artifacts`)
  await page.getByRole('button', { name: 'parcels.csv' }).click()
  await settled(page)
  await shoot(page, 'artifact')
  await page.goto(`/p/${shop.slug}/runs`)
  await page.getByRole('navigation', { name: 'Rooms' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search' }).fill('order')
  await page.getByRole('dialog').getByRole('option').first().waitFor()
  await shoot(page, 'palette')
  await page.keyboard.press('Escape')
  await page.keyboard.press('?')
  await shoot(page, 'keys')
  await expectAccessible(page, 'keys')
  await expectDialogsAccessible(page, shop)
}
