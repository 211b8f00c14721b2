import { expect, test } from 'vitest'
import { RefusalWindow, refusalBounds } from './refusal-window.js'

const entry = (actor: string, target: string) => ({
  ...{ projectId: 'p', actor, action: 'access.denied', target, ip: '1.2.3.4', requestId: 'r' },
  outcome: 'denied' as const,
})

test('the first refusal is an entry at once, its repetitions one at the end', () => {
  const window = new RefusalWindow()
  expect(window.note(entry('user:a', 'startRun:role_required'))).toMatchObject({ target: 'startRun:role_required' })
  for (let n = 0; n < 1000; n++) expect(window.note(entry('user:a', 'startRun:role_required'))).toBeUndefined()
  expect(window.end('iam')).toEqual([
    { ...entry('user:a', 'startRun:role_required (1000 more)'), action: 'access.denied_again' },
  ])
})

test('a million different refusals of one actor make few entries', () => {
  const window = new RefusalWindow()
  let written = 0
  for (let n = 0; n < 100_000; n++) if (window.note(entry('user:a', `t${n}`))) written += 1
  expect(written).toBe(refusalBounds.perActor)
  expect(window.end('iam')).toMatchObject([{ action: 'access.denied_unlisted', target: '99980 refusals' }])
})

test('many actors cannot flood the log either', () => {
  const window = new RefusalWindow()
  let written = 0
  for (let n = 0; n < 10_000; n++) if (window.note(entry(`user:${n}`, 't'))) written += 1
  expect(written).toBe(refusalBounds.inAll)
  expect(window.end('iam')).toHaveLength(1)
})
