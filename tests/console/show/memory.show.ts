import type { CDPSession } from 'playwright-core'
import { test } from 'vitest'
import { openPage, useConsole } from '../browser.js'
import { openSignedIn } from '../walk.js'
import { seedShop } from './seed.js'

/** `make measure-console`: what a tab holds that stays open on a run while the project is busy. */
const used = useConsole()
const minutes = Number(process.env.MEASURE_MINUTES ?? 10)

test('an open run page on a busy project', async () => {
  const shop = await seedShop(used.target)
  const { page } = await openPage(used.browser, used.target.url)
  // Ten tasks that fail and are tried again every second: the run changes all the time and never becomes larger. In one
  // whose tasks end one after the other, each ended task is drawn with more than a pending one.
  const retry = { maxAttempts: 1_000, backoff: 'fixed', delay: '1s', jitter: 'none' }
  const again = { needs: ['begin'], uses: 'fail', with: { message: 'not yet' }, retry }
  const tasks = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`t${index}`, again]))
  await shop.client.createWorkflow({ name: 'pace', tasks: { begin: { uses: 'noop' }, ...tasks } })
  const { id } = await shop.client.startRun('pace')
  await openSignedIn(page, shop.person, `/p/${shop.slug}/runs/${id}?task=begin&tab=logs`)
  await page.locator('.node').first().waitFor({ timeout: 60_000 })
  const debug = await page.context().newCDPSession(page)
  const heaps: number[] = []
  const until = Date.now() + minutes * 60_000
  let nextLook = Date.now() + 30_000
  let runs = 0
  while (Date.now() < until) {
    await shop.client.want(202, 'POST', '/api/v1/workflows/invoice/runs/batch', {
      body: { items: Array.from({ length: 10 }, () => ({})) },
    })
    runs += 10
    await page.waitForTimeout(2_000)
    if (Date.now() < nextLook) continue
    nextLook += 60_000
    heaps.push(await heapOf(debug))
    console.log(`${heaps.length} min: ${(heaps.at(-1) ?? 0).toFixed(1)} MB`)
  }
  const grown = (heaps.at(-1) ?? 0) - (heaps[0] ?? 0)
  const { tasks: ended } = await shop.client.run(id)
  const attempts = ended.reduce((sum, { attempt }) => sum + attempt, 0)
  console.log(
    `Heap of an open run page, ${minutes} minutes, ${attempts} attempts in the run, ${runs} runs started beside it: ${(heaps[0] ?? 0).toFixed(1)} MB after half a minute, ${(heaps.at(-1) ?? 0).toFixed(1)} MB at the end (${grown >= 0 ? '+' : ''}${grown.toFixed(1)} MB; ${perHour(heaps.slice(Math.floor(heaps.length / 2))).toFixed(2)} MB an hour in the second half)`,
  )
}, 900_000)

/** Slope of the straight line through the values of one minute each. */
function perHour(values: readonly number[]): number {
  const middle = (values.length - 1) / 2
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const above = values.reduce((sum, value, at) => sum + (at - middle) * (value - mean), 0)
  return (60 * above) / values.reduce((sum, _, at) => sum + (at - middle) ** 2, 0)
}

/** What is alive after a collection, in megabytes. */
async function heapOf(debug: CDPSession): Promise<number> {
  await debug.send('HeapProfiler.collectGarbage')
  const { usedSize } = await debug.send('Runtime.getHeapUsage')
  return usedSize / 1e6
}
