import { unauthenticated } from '@millrace/errors'
import type { Identity } from '@millrace/identity'
import { beforeEach, expect, test } from 'vitest'
import { trustBriefly, type ValidateToken } from './trust-briefly.js'

const identity: Identity = {
  subject: 'key:1',
  projectId: 'p',
  project: 'test',
  role: 'worker',
  admin: false,
  expiresAt: 1_000,
}
let nowMs: number
let asked: Parameters<ValidateToken>[]
let answer: () => Promise<Identity>

const validate = trustBriefly(
  (...question) => {
    asked.push(question)
    return answer()
  },
  () => nowMs,
)

beforeEach(() => {
  // Each test begins long after what the one before may have left.
  nowMs = (nowMs ?? 0) + 100_000
  asked = []
  answer = async () => identity
})

test('a good credential is trusted for a second, then asked for again', async () => {
  await validate('Bearer a')
  nowMs += 999
  expect(await validate('Bearer a')).toEqual(identity)
  expect(asked).toHaveLength(1)
  nowMs += 1
  await validate('Bearer a')
  expect(asked).toHaveLength(2)
})

test('the time counts from the question, and calls meanwhile share the answer', async () => {
  let give: (identity: Identity) => void = () => undefined
  answer = () =>
    new Promise((resolve) => {
      give = resolve
    })
  const both = [validate('Bearer a'), validate('Bearer a')]
  nowMs += 1_000
  give(identity)
  expect(await Promise.all(both)).toEqual([identity, identity])
  expect(asked).toHaveLength(1)
  answer = async () => identity
  await validate('Bearer a')
  expect(asked).toHaveLength(2)
})

test('each credential in each project is asked for by itself', async () => {
  await Promise.all([validate('Bearer a'), validate('Bearer a', 'x'), validate('Bearer b', 'x')])
  expect(asked).toHaveLength(3)
})

test('a refusal is not kept, and neither is a failure to ask', async () => {
  answer = () => Promise.reject(unauthenticated('invalid_token', 'no'))
  await expect(validate('Bearer a')).rejects.toMatchObject({ reason: 'invalid_token' })
  answer = async () => identity
  expect(await validate('Bearer a')).toEqual(identity)
  expect(asked).toHaveLength(2)
})

test('nothing is trusted beyond its own end', async () => {
  answer = async () => ({ ...identity, expiresAt: (nowMs + 1_000) / 1_000 })
  await validate('Bearer a')
  nowMs += 1_000
  await validate('Bearer a')
  expect(asked).toHaveLength(2)
})
