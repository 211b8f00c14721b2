import { expect, test } from 'vitest'
import { Turnstile } from './turnstile.js'

test('never more at once than it lets through, in the order they came, also when some fail', async () => {
  const turnstile = new Turnstile(2)
  const order: number[] = []
  let inside = 0
  let most = 0
  const works = Array.from({ length: 20 }, (_, i) =>
    turnstile
      .run(async () => {
        order.push(i)
        inside += 1
        most = Math.max(most, inside)
        await new Promise((resolve) => setImmediate(resolve))
        inside -= 1
        if (i % 3 === 0) throw new Error('no')
      })
      .catch(() => undefined),
  )
  await Promise.all(works)
  expect(most).toBe(2)
  expect(order).toEqual(Array.from({ length: 20 }, (_, i) => i))
})
