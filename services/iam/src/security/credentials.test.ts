import type { Pool } from '@millrace/postgres'
import { expect, test } from 'vitest'
import { Credentials } from './credentials.js'
import type { KeyRing } from './key-ring.js'
import type { KeyUsage } from './key-usage.js'

test('an API key that nobody has is asked for once, another one again', async () => {
  const asked: unknown[] = []
  const query = async (question: unknown) => {
    asked.push(question)
    return { rows: [] }
  }
  const credentials = new Credentials({ query } as unknown as Pool, {} as KeyRing, 0, {} as KeyUsage)
  const unknown = (letter: string) => credentials.resolve(`mr_${letter.repeat(43)}`)
  for (let i = 0; i < 20; i++) await expect(unknown('A')).rejects.toMatchObject({ reason: 'invalid_api_key' })
  expect(asked).toHaveLength(1)
  await expect(unknown('B')).rejects.toMatchObject({ reason: 'invalid_api_key' })
  expect(asked).toHaveLength(2)
})
