import type { CDPSession } from 'playwright-core'
import { test } from 'vitest'
import { openPage, useConsole } from '../browser.js'
import { openSignedIn } from '../walk.js'
import { chain } from './loads.js'
import { seedShop } from './seed.js'

/** `make measure-console`: what a tab holds that stays open on a run while the project is busy. */
const used = useConsole()
const minutes = Number(process.env.MEASURE_MINUTES ?? 10)

test('an open run page on a busy project', async () => {
  const shop = await seedShop(used.target)
  const { page } = await openPage(used.browser, used.target.url)
  await shop.client.createWorkflow({
    name: 'pace',
    tasks: chain(Math.max(60, minutes * 60), { uses: 'sleep', with: { duration: '900ms' } }),
  })
  const { id } = await shop.client.startRun('pace')
  await openSignedIn(page, shop.person, `/p/${shop.slug}/runs/${id}?task=t0&tab=logs`)
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
  console.log(
    `Heap of an open run page, ${minutes} minutes, ${runs} runs started beside it: ${(heaps[0] ?? 0).toFixed(1)} MB after half a minute, ${(heaps.at(-1) ?? 0).toFixed(1)} MB at the end (${grown >= 0 ? '+' : ''}${grown.toFixed(1)} MB)`,
  )
}, 900_000)

/** What is alive after a collection, in megabytes. */
async function heapOf(debug: CDPSession): Promise<number> {
  await debug.send('HeapProfiler.collectGarbage')
  const { usedSize } = await debug.send('Runtime.getHeapUsage')
  return usedSize / 1e6
}
