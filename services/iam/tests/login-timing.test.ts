import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Iam, startIam } from './support.js'

const SAMPLES = 250

let iam: Iam
beforeAll(async () => {
  const many = { perAccount: 10_000, perAccountAnywhere: 10_000, perAddress: 10_000, maxDelayMs: 0 }
  // A cheap hash, so that other differences are not hidden behind it; accounts.test.ts holds the hash itself to account.
  iam = await startIam({
    login: { accountWindowMs: 900_000, addressWindowMs: 60_000, ...many },
    password: { memoryKib: 2048, passes: 1 },
  })
})
afterAll(() => iam.stop())

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
const variance = (values: readonly number[]) => {
  const middle = mean(values)
  return values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1)
}
/** The slowest tenth is what else the machine did. */
const trimmed = (values: readonly number[]) => [...values].sort((a, b) => a - b).slice(0, values.length * 0.9)

function welchT(a: readonly number[], b: readonly number[]): number {
  return (mean(a) - mean(b)) / Math.sqrt(variance(a) / a.length + variance(b) / b.length)
}

test('five hundred refusals do not tell a known address from an unknown one', async () => {
  const { email } = await iam.newUser()
  const timeOf = async (address: string) => {
    const start = performance.now()
    const body = { email: address, password: 'not the password' }
    const { status } = await iam.send(`${iam.base}/api/v1/auth/login`, 'POST', { body }, {})
    expect(status).toBe(401)
    return performance.now() - start
  }
  for (let i = 0; i < 20; i++) await timeOf(i % 2 === 0 ? email : 'unknown@example.org')
  const known: number[] = []
  const unknown: number[] = []
  // By turns, and each first as often as second: what drifts, drifts for both.
  for (let i = 0; i < SAMPLES; i++) {
    const turns = [
      () => timeOf(email).then((ms) => known.push(ms)),
      () => timeOf('unknown@example.org').then((ms) => unknown.push(ms)),
    ]
    for (const turn of i % 2 === 0 ? turns : turns.toReversed()) await turn()
  }
  // |t| beyond 4 comes by chance once in ten thousand runs; when an unknown address
  // wrote no rows it was 7 to 9.
  expect(Math.abs(welchT(trimmed(known), trimmed(unknown)))).toBeLessThan(4)
}, 120_000)
