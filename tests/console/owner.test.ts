import { patiently, waitFor } from '@millrace/testkit'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { type Client, newUser } from '../support/client.js'
import { addMember } from '../support/members.js'
import { RemoteWorker } from '../support/remote-worker.js'
import { mailIsReadable } from '../support/target.js'
import { chromiumPath, expectAccessible, openPage, shoot, useConsole } from './browser.js'
import { signIn } from './walk.js'

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

async function upload(client: Client, name: string, contentType: string, content: string | Buffer): Promise<void> {
  const { id } = await client.want<{ id: string }>(201, 'POST', '/api/v1/artifacts', { body: { name, contentType } })
  await client.want(200, 'PUT', `/api/v1/artifacts/${id}/content`, {
    raw: content,
    headers: { 'content-type': 'application/octet-stream' },
  })
}

const goTo = (page: Page, slug: string, path: string) => page.goto(`/p/${slug}/${path}`)

/** What a copy answers must be seen although a dialog is open. */
async function expectToastAboveDialog(page: Page): Promise<void> {
  await page
    .getByRole('dialog')
    .getByTitle(/^Copy /)
    .first()
    .click()
  await page.locator('.toast').first().waitFor()
  // In the browser's top layer and shown after the dialog, so above it.
  expect(
    await page
      .locator('.toasts')
      .evaluate((element) => (element as unknown as { matches(selector: string): boolean }).matches(':popover-open')),
  ).toBe(true)
}

describe.runIf(chromiumPath)('the console’s rooms for whoever runs a project', () => {
  const used = useConsole()

  test(
    'an owner invites, makes a key that works, sets a secret and reads the audit log',
    async () => {
      const user = await newUser(used.target)
      const { page, faults } = await openPage(used.browser, used.target.url)
      await signIn(page, user)
      await page.keyboard.press('g')
      await page.keyboard.press(',')
      const invitations = page.getByRole('region', { name: 'Open invitations' })
      await page.getByRole('button', { name: 'Invite', exact: true }).click()
      await page.getByLabel('Email').fill('grace@example.test')
      await page.getByRole('button', { name: 'Send the invitation' }).click()
      await invitations.getByText('grace@example.test').waitFor()
      await shoot(page, 'settings-members')
      await expectAccessible(page, 'members')
      await invitations.getByRole('button', { name: 'Revoke' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
      await page.getByText('No invitation is open').waitFor()

      await page.getByRole('tab', { name: 'API keys' }).click()
      await page.getByRole('button', { name: 'Create a key' }).first().click()
      await page.getByLabel('Name').fill('<b>deploys</b>')
      await page.getByRole('button', { name: 'Create the key' }).click()
      const key = await page.getByRole('textbox', { name: 'Your new API key' }).inputValue()
      expect((await user.client.as(key).call('GET', '/api/v1/runs')).status).toBe(200)
      await page.getByRole('button', { name: 'I have stored it' }).click()
      await page.getByRole('cell', { name: '<b>deploys</b>' }).waitFor()
      expect(await page.getByText(key).count()).toBe(0)
      await shoot(page, 'settings-keys')
      await expectAccessible(page, 'keys')

      await page.getByRole('tab', { name: 'Secrets' }).click()
      await page.getByRole('button', { name: 'Add a secret' }).first().click()
      await page.getByLabel('Name').fill('not a name')
      await page.getByLabel('Value').fill('hunter2 hunter2')
      await page.getByRole('button', { name: 'Set the secret' }).click()
      await page.getByRole('dialog').getByRole('alert').waitFor()
      expect(await page.getByLabel('Value').inputValue()).toBe('hunter2 hunter2')
      await page.getByLabel('Name').fill('payments_token')
      await page.getByRole('button', { name: 'Set the secret' }).click()
      await page.getByRole('cell', { name: 'payments_token' }).waitFor()
      expect(await page.getByText('hunter2').count()).toBe(0)
      await expectAccessible(page, 'secrets')

      await page.getByRole('tab', { name: 'Audit log' }).click()
      await page.getByRole('textbox', { name: 'Action' }).fill('api_key.created')
      await page.waitForURL(/action=api_key.created/)
      await page.getByRole('cell', { name: 'api_key.created' }).first().waitFor()
      await page.getByRole('button', { name: 'Verify the log' }).click()
      await page.getByText(/intact/).waitFor()
      await shoot(page, 'settings-audit')
      await expectAccessible(page, 'audit log')

      await page.getByRole('tab', { name: 'Project' }).click()
      await page.getByLabel('Keep ended runs for').fill('30d')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('The project is changed').waitFor()
      expect(await user.client.get(`/api/v1/projects/${user.project.slug}`)).toMatchObject({ retention: '30d' })
      await expectAccessible(page, 'project')
      expect(faults).toEqual([])
    },
    patiently(120_000),
  )

  test.runIf(mailIsReadable)(
    'whoever is invited opens the mailed link, signs in, accepts, and is a member',
    async () => {
      const [owner, guest] = await Promise.all([newUser(used.target), newUser(used.target)])
      await owner.client.want(201, 'POST', `/api/v1/projects/${owner.project.slug}/invitations`, {
        body: { email: guest.email, role: 'operator' },
      })
      const mail = await used.target.mail.waitForMail(guest.email, '/invitations/')
      const [path] = /\/invitations\/[A-Za-z0-9_-]{20,}/.exec(mail.replaceAll(/=\r?\n/g, '')) ?? ['no link']
      const { page, faults } = await openPage(used.browser, used.target.url)
      await page.goto(path)
      await page.getByRole('link', { name: 'Sign in' }).click()
      await page.getByLabel('Email').fill(guest.email)
      await page.getByLabel('Password').fill(guest.password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('button', { name: 'Accept the invitation' }).waitFor()
      // The link alone makes nobody a member.
      const roleOf = async () => {
        const path = `/api/v1/projects/${owner.project.slug}/members`
        const members = await owner.client.all<{ email: string; role: string }>(path)
        return members.find(({ email }) => email === guest.email)?.role
      }
      expect(await roleOf()).toBeUndefined()
      await expectAccessible(page, 'an invitation')
      await page.getByRole('button', { name: 'Accept the invitation' }).click()
      await page.getByRole('heading', { name: 'You are a member now' }).waitFor()
      expect(await roleOf()).toBe('operator')
      await page.getByRole('link', { name: 'Open the console' }).click()
      await page.getByRole('navigation', { name: 'Rooms' }).waitFor()
      expect(faults).toEqual([])
    },
    patiently(60_000),
  )

  test(
    'a person changes the password and ends another session',
    async () => {
      const user = await newUser(used.target)
      const { page, faults } = await openPage(used.browser, used.target.url)
      await signIn(page, user)
      await goTo(page, user.project.slug, 'settings?view=profile')
      const sessions = page.getByRole('region', { name: 'Sessions' })
      await sessions.getByText('this one').waitFor()
      await sessions.getByRole('button', { name: 'End it' }).first().click()
      await page.getByRole('dialog').getByRole('button', { name: 'End it' }).click()
      await page.getByText('The session is ended').waitFor()
      await page.getByLabel('Current password').fill('wrong')
      await page.getByLabel('New password', { exact: true }).fill('a new and long password')
      await page.getByLabel('New password again').fill('a new and long password')
      await page.getByRole('button', { name: 'Change the password' }).click()
      await page.getByRole('alert').getByText('The current password is wrong').waitFor()
      await page.getByLabel('Current password').fill(user.password)
      await page.getByRole('button', { name: 'Change the password' }).click()
      await page.getByText('The password is changed').waitFor()
      await shoot(page, 'settings-account')
      await expectAccessible(page, 'account')
      expect(faults).toEqual([])
    },
    patiently(60_000),
  )

  test(
    'an operator pauses a queue, limits it, and sees which hosts are not called',
    async () => {
      const user = await newUser(used.target)
      const { client } = user
      const run = await client.runTasks({ a: { uses: 'noop' } })
      await client.ended(run.id)
      const { page, faults } = await openPage(used.browser, used.target.url)
      await signIn(page, user)
      await page.keyboard.press('g')
      await page.keyboard.press('q')
      const row = page.getByRole('row', { name: /default/ })
      await row.getByRole('button', { name: 'Pause' }).click()
      await row.getByText('paused').waitFor()
      await row.getByRole('button', { name: 'Settings of default' }).click()
      await page.waitForURL(/queue=default/)
      await page.getByLabel('Running at once').fill('none')
      await page.getByText('A whole number from 1').waitFor()
      await page.getByLabel('Running at once').fill('3')
      await expectAccessible(page, 'settings of a queue')
      await page.getByRole('button', { name: 'Save' }).click()
      await row.getByText('3 at once').waitFor()
      const { items } = await client.get<{ items: { name: string; paused: boolean; concurrency: number }[] }>(
        '/api/v1/queues',
      )
      expect(items.find(({ name }) => name === 'default')).toMatchObject({ paused: true, concurrency: 3 })
      const circuits = page.getByRole('region', { name: 'Open circuits' })
      const { key } = await client.createKey('worker')
      const worker = await new RemoteWorker(used.target.grpcAddress, key, 'warehouse').register('warehouse.pick')
      worker.circuits = [{ uses: 'http', peer: 'payments.example:443', retryAfterMs: 60_000 }]
      await worker.heartbeat()
      await page.reload()
      await circuits.getByRole('row', { name: /payments\.example:443 open http warehouse/ }).waitFor()
      await shoot(page, 'workers')
      await expectAccessible(page, 'workers and queues')
      const own = page.getByRole('region', { name: 'Workers' }).getByRole('row', { name: /warehouse/ })
      await own.getByRole('button', { name: 'Drain' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Drain' }).click()
      await page.getByText('warehouse finishes what it runs, then ends').waitFor()
      await own.getByText('draining').waitFor()
      const drained = await client.all<{ id: string; state: string }>('/api/v1/workers')
      expect(drained.find(({ id }) => id === worker.workerId)?.state).toBe('draining')
      await worker.close()
      expect(faults).toEqual([])
    },
    patiently(90_000),
  )

  test(
    'a webhook is subscribed, tested and delivered again',
    async () => {
      const user = await newUser(used.target)
      const { page, faults } = await openPage(used.browser, used.target.url)
      await signIn(page, user)
      await page.keyboard.press('g')
      await page.keyboard.press('n')
      await page.getByRole('heading', { name: 'Nobody is notified yet' }).waitFor()
      await page.getByRole('button', { name: 'New subscription' }).first().click()
      await page.getByLabel('URL').fill('http://169.254.169.254/latest')
      await page.getByRole('button', { name: 'Create' }).click()
      await page.getByRole('dialog').getByRole('alert').waitFor()
      const url = `${used.target.sink.url}/hook`
      await page.getByLabel('URL').fill(url)
      await page.getByRole('button', { name: 'Create' }).click()
      const secret = page.getByRole('textbox', { name: 'The webhook’s secret' })
      const first = await secret.inputValue()
      expect(first).toMatch(/^whsec_/)
      await page.getByRole('button', { name: 'I have stored it' }).click()
      await page.getByRole('link', { name: url }).click()

      used.target.sink.script({ status: 500, body: '<script>alert(1)</script>' })
      await page.getByRole('button', { name: 'Send a test' }).click()
      await page.waitForURL(/delivery=/)
      const dialog = page.getByRole('dialog', { name: 'Delivery' })
      await dialog.getByText('<script>alert(1)</script>').waitFor()
      await dialog.getByRole('button', { name: 'Deliver again' }).click()
      await dialog.getByText(/answered 204/).waitFor()
      await shoot(page, 'notification-delivery')
      await expectAccessible(page, 'one delivery')
      await page.keyboard.press('Escape')
      expect(used.target.sink.requests.filter(({ url: path }) => path === '/hook').length).toBeGreaterThanOrEqual(2)

      await page.getByRole('tab', { name: 'Verify the signature' }).click()
      await page.getByRole('tab', { name: 'Python' }).click()
      const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
      await page.locator('pre', { hasText: id }).waitFor()
      await shoot(page, 'notification-verify')
      await expectAccessible(page, 'one subscription')
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: 'Rotate the secret…' }).click()
      await page.getByRole('button', { name: 'Make a new secret' }).click()
      const rotated = await page.getByRole('textbox', { name: 'The webhook’s new secret' }).inputValue()
      expect(rotated).toMatch(/^whsec_/)
      expect(rotated).not.toBe(first)
      await page.getByRole('button', { name: 'I have stored it' }).click()
      await page.getByRole('link', { name: 'Notifications' }).first().click()
      await page.getByRole('link', { name: url }).waitFor()
      await shoot(page, 'notifications')
      await expectAccessible(page, 'notifications')
      expect(faults).toEqual([])
    },
    patiently(90_000),
  )

  test(
    'artifacts are shown and never executed',
    async () => {
      const user = await newUser(used.target)
      await upload(user.client, 'page.html', 'text/html', '<script>alert(1)</script><h1>shown as text</h1>')
      await upload(user.client, 'rows.csv', 'text/csv', 'name,note\nada,"a, ""b"""\n')
      await upload(user.client, 'dot.png', 'image/png', pixel)
      const { page, faults } = await openPage(used.browser, used.target.url)
      let alerted = false
      page.on('dialog', (dialog) => {
        alerted = true
        void dialog.dismiss()
      })
      await signIn(page, user)
      await page.keyboard.press('g')
      await page.keyboard.press('f')
      await page.getByRole('button', { name: 'page.html' }).click()
      await page.getByText('<script>alert(1)</script><h1>shown as text</h1>').waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'rows.csv' }).click()
      await page.getByRole('cell', { name: 'a, "b"' }).waitFor()
      await expectToastAboveDialog(page)
      await page.getByRole('button', { name: 'Link to share' }).click()
      await page.getByRole('button', { name: 'Make the link' }).click()
      const link = await page.getByLabel('Link', { exact: true }).inputValue()
      expect(await (await fetch(link)).text()).toContain('ada')
      await shoot(page, 'artifact-csv')
      await expectAccessible(page, 'one artifact')
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'dot.png' }).click()
      const image = page.getByRole('img', { name: 'dot.png' })
      await image.waitFor()
      expect(await image.evaluate((element) => (element as unknown as { naturalWidth: number }).naturalWidth)).toBe(1)
      await page.keyboard.press('Escape')
      await shoot(page, 'artifacts')
      await expectAccessible(page, 'artifacts')
      expect(alerted).toBe(false)
      expect(faults).toEqual([])
    },
    patiently(60_000),
  )

  test(
    'a viewer sees what they may, and is told which role the rest needs',
    async () => {
      const [owner, viewer] = await Promise.all([newUser(used.target), newUser(used.target)])
      await addMember(used.target, owner.project.slug, viewer.id, 'viewer')
      await upload(owner.client, 'notes.txt', 'text/plain', 'for everybody to read')
      const { page, faults } = await openPage(used.browser, used.target.url)
      await signIn(page, viewer)
      await goTo(page, owner.project.slug, 'settings')
      await page.getByRole('cell', { name: owner.email }).waitFor()
      expect(await page.getByRole('button', { name: 'Invite', exact: true }).isDisabled()).toBe(true)
      expect(await page.getByRole('button', { name: 'Remove' }).count()).toBe(0)
      for (const [view, title] of [
        ['keys', 'You may not see API keys'],
        ['secrets', 'You may not see secrets'],
        ['audit', 'You may not see the audit log'],
        ['users', 'You may not see the users of the platform'],
      ] as const) {
        await goTo(page, owner.project.slug, `settings?view=${view}`)
        await page.getByRole('heading', { name: title }).waitFor()
      }
      await goTo(page, owner.project.slug, 'settings?view=keys')
      await page.getByText('yours in this project is viewer').waitFor()
      await shoot(page, 'settings-forbidden')
      await expectAccessible(page, 'forbidden')
      await goTo(page, owner.project.slug, 'notifications')
      await page.getByRole('heading', { name: 'Nobody is notified yet' }).waitFor()
      expect(await page.getByRole('button', { name: 'New subscription' }).first().isDisabled()).toBe(true)
      await goTo(page, owner.project.slug, 'artifacts')
      await page.getByRole('button', { name: 'notes.txt' }).click()
      await page.getByText('for everybody to read').waitFor()
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download' }).click(),
      ])
      expect(download.suggestedFilename()).toBe('notes.txt')
      expect(await page.getByRole('button', { name: 'Link to share' }).isDisabled()).toBe(true)
      expect(faults).toEqual([])
    },
    patiently(90_000),
  )

  test(
    'an administrator disables a user of the platform, and finds every project',
    async () => {
      const user = await newUser(used.target)
      const { page, faults } = await openPage(used.browser, used.target.url)
      await signIn(page, used.target.admin)
      await page.getByRole('link', { name: 'Settings' }).click()
      await page.getByRole('tab', { name: 'Users' }).click()
      await page.getByRole('textbox', { name: 'Search users' }).fill(user.email)
      const row = page.getByRole('row', { name: new RegExp(user.email) })
      await row.getByRole('button', { name: 'Disable' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
      await row.getByRole('button', { name: 'Enable' }).waitFor()
      // Credentials are trusted for a moment.
      await waitFor(async () => (await user.client.call('GET', '/api/v1/runs')).status === 401)
      await shoot(page, 'settings-users')
      await expectAccessible(page, 'users')
      // A project of somebody else: its members, quotas and use, not its runs.
      await page.getByRole('tab', { name: 'Projects' }).click()
      await page.getByRole('textbox', { name: 'Search projects' }).fill(user.project.slug)
      await expectAccessible(page, 'projects')
      await page.getByRole('link', { name: user.project.slug }).click()
      await page.waitForURL(new RegExp(`/p/${user.project.slug}/settings`))
      await page.getByText('Runs a day').waitFor()
      expect(faults).toEqual([])
    },
    patiently(60_000),
  )
})
