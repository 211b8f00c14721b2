import { randomBytes } from 'node:crypto'
import { createSecretBox } from '@millrace/config'
import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Harness } from './support/harness.js'

let harness: Harness
beforeAll(async () => {
  harness = await Harness.create()
})
afterAll(() => harness.close())

it('what the key before sealed is sealed under the present one, and still signs', async () => {
  const { id, secret } = await harness.subscribe()
  await harness.service.stop()
  const previous = harness.config.secretKey
  const present = randomBytes(32)
  Object.assign(harness.config, { secretKey: present, previousSecretKey: previous })
  await harness.startService()
  const sealed = await waitFor(async () => {
    const { rows } = await harness.pool.query('select secret from subscriptions where id = $1', [id])
    return openOrNothing(present, rows[0].secret, id)
  })
  expect(sealed).toBe(secret)
  const { rows } = await waitFor(async () => {
    const found = await harness.pool.query(
      `select data from events.log where topic = 'audit.recorded' and data ->> 'action' = 'master_key.rewrapped'`,
    )
    return found.rows.length > 0 ? found : undefined
  })
  expect(rows[0].data.target).toContain('subscriptions.secret:1')
})

function openOrNothing(key: Buffer, sealed: Buffer, id: string): string | undefined {
  try {
    return createSecretBox(key).open(sealed, id)
  } catch {
    return undefined
  }
}
