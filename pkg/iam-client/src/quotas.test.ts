import { expect, test } from 'vitest'
import { noQuotas, rememberQuotas } from './quotas.js'

function source() {
  const state = { now: 0, asked: 0, down: false, limit: 1 }
  const quotas = rememberQuotas(
    async () => {
      state.asked += 1
      if (state.down) throw new Error('iam is down')
      return { ...noQuotas, workflows: state.limit }
    },
    () => state.now,
  )
  return { state, quotas }
}

test('many requests at once and soon after cost one question', async () => {
  const { state, quotas } = source()
  await Promise.all(Array.from({ length: 100 }, () => quotas('p')))
  state.now = 2999
  expect((await quotas('p')).workflows).toBe(1)
  expect(state.asked).toBe(1)
})

test('a change is known after three seconds', async () => {
  const { state, quotas } = source()
  await quotas('p')
  state.limit = 7
  state.now = 3000
  expect((await quotas('p')).workflows).toBe(7)
})

test('while iam is down its last word stands, and it is not asked with every request', async () => {
  const { state, quotas } = source()
  await quotas('p')
  state.down = true
  state.now = 10_000
  for (let n = 0; n < 10; n++) expect((await quotas('p')).workflows).toBe(1)
  expect(state.asked).toBe(2)
  await expect(quotas('never seen')).rejects.toThrow('iam is down')
})
