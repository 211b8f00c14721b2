import { expect, test } from 'vitest'
import { Owned } from './owned.js'

test('what was made last is closed first, once, and one failure does not keep the others open', async () => {
  const owned = new Owned()
  const closed: string[] = []
  expect(owned.add('pool', (made) => void closed.push(made))).toBe('pool')
  owned.add('bus', async (made) => {
    closed.push(made)
    throw new Error('the bus is stuck')
  })
  owned.add('client', async (made) => void closed.push(made))
  await expect(owned.close()).rejects.toThrow('the bus is stuck')
  await owned.close()
  expect(closed).toEqual(['client', 'bus', 'pool'])
})
