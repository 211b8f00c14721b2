import { createHmac, randomBytes } from 'node:crypto'
import { createSecretBox } from '@millrace/config'
import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { WorkflowConfig } from '../src/config.js'
import { type Harness, noop, startHarness } from './harness.js'

const secret = 'of-the-caller-of-this-hook'
const [before, present] = [randomBytes(32), randomBytes(32)]
const settings: Partial<WorkflowConfig> = { hookKey: before }
let h: Harness

beforeAll(async () => {
  h = await startHarness({}, settings)
})
afterAll(() => h.stop())

test('what the key before sealed is sealed under the present one, and its hook verifies its callers all along', async () => {
  await h.call('POST', '/api/v1/workflows', noop('plain'))
  const verify = { type: 'hmac', secret, header: 'x-hash' }
  const { id, url } = (await h.call('POST', '/api/v1/workflows/plain/hooks', { verify })).body
  const signature = createHmac('sha256', secret).update('{}').digest('hex')
  const sent = async (hash: string) => {
    const headers = { 'content-type': 'application/json', 'x-hash': hash }
    return (await fetch(h.url(url), { method: 'POST', headers, body: '{}' })).status
  }
  expect([await sent(signature), await sent('0'.repeat(64))]).toEqual([202, 401])
  await h.restart({ hookKey: present, previousHookKey: before })
  expect(await sent(signature)).toBe(202)
  const opened = await waitFor(async () => {
    const { rows } = await h.pool.query('select verify_secret from hooks where id = $1', [id])
    return openOrNothing(rows[0].verify_secret, id)
  })
  expect(opened).toBe(secret)
  const entry = await waitFor(async () =>
    (await h.events('audit.recorded')).find(({ data }) => data.action === 'master_key.rewrapped'),
  )
  expect(entry.data.target).toContain('hooks.verify_secret:1')
  await h.restart({ hookKey: present })
  expect([await sent(signature), await sent('0'.repeat(64))]).toEqual([202, 401])
})

function openOrNothing(sealed: Buffer, id: string): string | undefined {
  try {
    return createSecretBox(present).open(sealed, id)
  } catch {
    return undefined
  }
}
