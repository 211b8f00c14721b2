import { waitFor } from '@millrace/testkit'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { type Client, newUser } from '../support/client.js'
import { addMember } from '../support/members.js'
import { RemoteWorker } from '../support/remote-worker.js'
import type { Target } from '../support/target.js'
import { chromiumPath, openPage, useConsole } from './browser.js'
import { openSignedIn } from './walk.js'

/** Text that would run if any place took it for markup, a script, a link or a style. */
const evil = `"'><img src=x onerror="window.ran=1"><svg/onload=window.ran=1><script>window.ran=1</script>javascript:window.ran=1`

async function upload(
  client: Client,
  runId: string,
  name: string,
  contentType: string,
  content: string,
): Promise<void> {
  const { id } = await client.want<{ id: string }>(201, 'POST', '/api/v1/artifacts', {
    body: { runId, name, contentType },
  })
  await client.want(200, 'PUT', `/api/v1/artifacts/${id}/content`, {
    raw: content,
    headers: { 'content-type': 'application/octet-stream' },
  })
}

/** Every text that somebody may store, somewhere. */
async function plant(client: Client, sinkUrl: string) {
  await client.createWorkflow({
    name: 'evil',
    description: evil,
    tags: [evil.slice(0, 60)],
    input: { type: 'object', properties: { text: { type: 'string', title: evil, description: evil, default: evil } } },
    tasks: {
      echo: { uses: 'transform', with: { value: { [evil]: '${{ input.text }}' } } },
      ask: { needs: ['echo'], uses: 'approval', with: { message: evil } },
      fail: { needs: ['ask'], uses: 'fail', with: { message: evil }, retry: { maxAttempts: 1 } },
    },
  })
  const run = await client.startRun('evil', { input: { text: evil }, labels: { team: evil.slice(0, 60) } })
  await client.runUntil(run.id, 'waits', ({ tasks }) => tasks.some(({ status }) => status === 'waiting'))
  const failed = await client.startRun('evil', { input: { text: evil } })
  await client.runUntil(failed.id, 'waits', ({ tasks }) => tasks.some(({ status }) => status === 'waiting'))
  await client.want(200, 'POST', `/api/v1/runs/${failed.id}/tasks/ask/approve`, { body: { comment: evil } })
  await client.ended(failed.id)
  const refused = await client.startRun('evil', { input: { text: evil } })
  await client.runUntil(refused.id, 'waits', ({ tasks }) => tasks.some(({ status }) => status === 'waiting'))
  await client.want(200, 'POST', `/api/v1/runs/${refused.id}/tasks/ask/reject`, { body: { comment: evil } })
  await client.ended(refused.id)
  const { id: signalled } = await client.runTasks({ listen: { uses: 'signal', with: { name: 'go' } } })
  await client.runUntil(signalled, 'waits', ({ tasks }) => tasks.some(({ status }) => status === 'waiting'))
  await client.want(200, 'POST', `/api/v1/runs/${signalled}/signals/go`, { body: { payload: { text: evil } } })
  await client.ended(signalled)
  await client.want(202, 'POST', `/api/v1/runs/${failed.id}/rerun`, { body: {} })
  const html = `<html><body onload="window.ran=1"><script>parent.ran=1;window.ran=1</script>${evil}</body></html>`
  await upload(client, run.id, `<img src=x onerror=window.ran=1>.html`, 'text/html', html)
  await upload(
    client,
    run.id,
    'evil.svg',
    'image/svg+xml',
    `<svg xmlns="http://www.w3.org/2000/svg" onload="window.ran=1"/>`,
  )
  await upload(client, run.id, 'evil.csv', 'text/csv', `a,b\n=cmd(),"${evil.replaceAll('"', '""')}"\n`)
  await upload(client, run.id, 'evil.json', 'application/json', JSON.stringify({ [evil]: evil }))
  const schedule = await client.want<{ id: string }>(201, 'POST', '/api/v1/schedules', {
    body: { workflow: 'evil', cron: '0 0 1 1 *', name: evil.slice(0, 100), input: { text: evil } },
  })
  const subscription = await client.want<{ id: string }>(201, 'POST', '/api/v1/subscriptions', {
    body: {
      events: ['workflow.completed'],
      channel: { type: 'webhook', url: `${sinkUrl}/${encodeURIComponent(evil)}` },
    },
  })
  await client.ended((await client.runTasks({ only: { uses: 'noop' } })).id)
  await client.want(201, 'POST', '/api/v1/service-accounts', { body: { name: evil.slice(0, 100), role: 'viewer' } })
  await client.want(201, 'POST', '/api/v1/api-keys', { body: { name: evil.slice(0, 100), role: 'viewer' } })
  await client.want(201, 'POST', '/api/v1/workflows/evil/hooks', { body: { input: JSON.stringify({ text: evil }) } })
  const [deadLetter] = (await client.get<{ items: { id: string }[] }>('/api/v1/dlq')).items
  return { run, failed, refused, signalled, schedule, subscription, deadLetter }
}

/** What a worker says of its task and of those it does not call is its own. Its name is checked. */
async function plantWorker(target: Target, client: Client) {
  const { key } = await client.createKey('worker')
  const worker = await new RemoteWorker(target.grpcAddress, key, 'evil').register('evil.copy')
  const labels = { [evil.slice(0, 60)]: evil.slice(0, 60) }
  const { id } = await client.runTasks({ copy: { uses: 'evil.copy' } }, { labels })
  const lease = await waitFor(async () => (await worker.lease(2_000))[0])
  await worker.log(lease, evil)
  worker.progress = { percent: 5, message: evil }
  worker.circuits = [{ uses: evil, peer: evil, retryAfterMs: 60_000 }]
  await worker.heartbeat()
  return { worker, runId: id }
}

describe.runIf(chromiumPath)('text that somebody stored', () => {
  const used = useConsole()

  test('never runs, in whichever room it is shown', async () => {
    const [owner, colleague] = await Promise.all([newUser(used.target, { name: evil }), newUser(used.target)])
    const { client, project } = owner
    await addMember(used.target, project.slug, colleague.id, 'operator')
    // Whoever is called by a webhook answers what it likes, and a browser says of itself what it likes.
    used.target.sink.otherwise({ status: 400, body: evil })
    const { email, password } = owner
    const body = { email, password }
    await client.want(200, 'POST', '/api/v1/auth/login', { body, headers: { 'user-agent': evil } })
    const planted = await plant(client, used.target.sink.url)
    const { run, failed, refused, signalled, schedule, subscription, deadLetter } = planted
    const { page, faults } = await openPage(used.browser, used.target.url)
    const asked: string[] = []
    page.on('dialog', (dialog) => {
      asked.push(dialog.message())
      void dialog.dismiss()
    })
    await openSignedIn(page, owner, `/p/${project.slug}/overview`)
    await page.getByRole('navigation', { name: 'Rooms' }).waitFor()
    const visit = visitor(page, project.slug)
    await client.want(200, 'PATCH', `/api/v1/projects/${project.slug}`, { body: { name: evil.slice(0, 100) } })
    const { worker, runId } = await plantWorker(used.target, client)
    await visit(`runs/${runId}?task=copy&tab=logs`, '5 %')
    await page.getByRole('log').getByText('window.ran=1').first().waitFor()
    await visit('workers', 'window.ran=1')
    await page.getByRole('region', { name: 'Open circuits' }).getByText('window.ran=1').first().waitFor()
    await worker.close()
    await visit('overview', 'What fails most')
    await visit('runs', 'window.ran=1')
    await visit(`runs/${failed.id}`, 'window.ran=1')
    await visit(`runs/${failed.id}?task=fail&tab=logs`, 'attempt 1 failed')
    await visit(`runs/${failed.id}?task=ask&tab=output`, 'window.ran=1')
    for (const tab of ['input', 'output', 'attempts']) await visit(`runs/${failed.id}?task=echo&tab=${tab}`, 'echo')
    await visit(`runs/${run.id}?view=data`, 'window.ran=1')
    await visit(`runs/${run.id}?view=timeline`, 'echo')
    await visit(`runs/${run.id}?view=list`, 'echo')
    await visit(`runs/${run.id}?task=ask&tab=artifacts`, 'Artifacts')
    await visit(`runs/${failed.id}?view=related`, 'Reruns of it')
    await visit(`runs/${refused.id}?task=ask&tab=attempts`, 'window.ran=1')
    await visit(`runs/${signalled}?task=listen&tab=output`, 'window.ran=1')
    await visit(`runs/${failed.id}`, 'window.ran=1')
    await openDialog(page, 'Rerun…')
    await visit('workflows', 'window.ran=1')
    await visit('workflows/evil', 'window.ran=1')
    await visit('workflows/evil?view=yaml', 'evil')
    await visit('workflows/evil?view=hooks', 'window.ran=1')
    await visit('workflows/evil?view=runs', 'failed')
    await visit('workflows/evil?view=schedules', 'window')
    await visit('workflows/evil?view=tasks', 'echo')
    await visit('workflows/evil?view=versions', 'Version 1')
    await visit('workflows/evil/edit', 'evil')
    await visit('workflows/evil/start', 'window.ran=1')
    await visit('approvals', 'window.ran=1')
    await visit('schedules', 'window')
    await visit(`schedules/${schedule.id}`, 'window.ran=1')
    await openDialog(page, 'Backfill…')
    await visit('dead-letters', 'window.ran=1')
    await visit(`dead-letters/${deadLetter?.id}`, 'window.ran=1')
    await visit('notifications', 'onerror')
    await visit(`notifications/${subscription.id}`, 'onerror')
    await visit(`notifications/${subscription.id}?view=verify`, subscription.id)
    await visit(`notifications/${subscription.id}?view=statistics`, 'Attempts')
    await visit('notifications?view=deliveries', 'workflow.completed')
    await page.locator('#content tbody').getByRole('button').first().click()
    await page.getByRole('dialog').getByText('window.ran=1').first().waitFor()
    await expectNothingRan(page, 'an answer to a webhook')
    await visit('settings?view=members', 'window.ran=1')
    await visit('settings?view=project', 'Name and retention')
    await visit('settings?view=profile', 'Where you are signed in')
    await visit('settings?view=keys', 'window.ran=1')
    await visit('settings?view=audit', 'workflow.created')
    for (const name of ['<img src=x onerror=window.ran=1>.html', 'evil.svg', 'evil.csv', 'evil.json']) {
      await visit('artifacts', name)
      await page.getByRole('button', { name, exact: true }).click()
      await page.getByRole('dialog').getByText('SHA-256').waitFor()
      await expectNothingRan(page, name)
    }
    await page.goto(`/p/${project.slug}/runs`)
    await page.getByRole('navigation', { name: 'Rooms' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search' }).fill('evil')
    await page.getByRole('dialog').getByRole('option').first().waitFor()
    await expectNothingRan(page, 'the palette')

    // What the platform's administrator sees of other people's texts.
    const { page: admins, faults: adminFaults } = await openPage(used.browser, used.target.url)
    admins.on('dialog', (dialog) => {
      asked.push(dialog.message())
      void dialog.dismiss()
    })
    await openSignedIn(admins, used.target.admin, '/')
    await admins.getByRole('link', { name: 'Settings' }).click()
    await admins.getByRole('tab', { name: 'Users' }).click()
    await admins.getByRole('textbox', { name: 'Search users' }).fill(owner.email)
    await admins.locator('#content').getByText('window.ran=1').first().waitFor()
    await expectNothingRan(admins, 'users')
    await admins.getByRole('tab', { name: 'Projects' }).click()
    await admins.getByRole('textbox', { name: 'Search projects' }).fill(project.slug)
    await admins.locator('#content').getByText('window.ran=1').first().waitFor()
    await expectNothingRan(admins, 'projects')
    expect(asked).toEqual([])
    expect([...faults, ...adminFaults]).toEqual([])
  }, 240_000)
})

async function expectNothingRan(page: Page, where: string): Promise<void> {
  const found = await page.evaluate(
    '[window.ran ?? 0, document.querySelectorAll("img[src=x], svg[onload], #root script, #root iframe, #root object").length]',
  )
  expect(found, where).toEqual([0, 0])
}

async function openDialog(page: Page, button: string): Promise<void> {
  await page.getByRole('button', { name: button, exact: true }).click()
  await page.getByRole('dialog').waitFor()
  await expectNothingRan(page, button)
}

const visitor = (page: Page, slug: string) => async (path: string, text: string) => {
  await page.goto(`/p/${slug}/${path}`)
  await page.locator('#content').getByText(text).first().waitFor({ state: 'attached' })
  await expectNothingRan(page, path)
}
