import type { CDPSession, Page } from 'playwright-core'

/** What the console is measured on. */

export function chain(length: number, task: object): Record<string, object> {
  const keys = Array.from({ length }, (_, index) => `t${index}`)
  return Object.fromEntries(keys.map((key, index) => [key, index === 0 ? task : { ...task, needs: [`t${index - 1}`] }]))
}

/** Layers of twenty, each node with two needs in the layer before. */
export function layeredGraph(count: number) {
  const across = 20
  const nodes = Array.from({ length: count }, (_, index) => ({ key: `node-${index}`, uses: 'noop' }))
  const edges = nodes.slice(across).flatMap(({ key }, index) => [
    { from: `node-${index}`, to: key },
    { from: `node-${Math.floor(index / across) * across + ((index * 7 + 3) % across)}`, to: key },
  ])
  return { nodes, edges }
}

export function logText(lines: number): string {
  const begin = Date.now()
  return Array.from({ length: lines }, (_, index) =>
    JSON.stringify({
      seq: index + 1,
      at: new Date(begin + index).toISOString(),
      level: index % 50 === 49 ? 'warn' : 'info',
      stream: 'stdout',
      message: `\u001b[32m✓\u001b[0m processed item ${index} of the nightly import${index % 10 === 0 ? `, ${'with much more to say about it '.repeat(6)}` : ''}`,
      task: 'charge',
      attempt: 1,
      jobId: 'x',
    }),
  )
    .join('\n')
    .concat('\n')
}

export interface Smoothness {
  fps: number
  worstMs: number
}

/** Frames that the page draws while something else moves it. */
export async function frames(page: Page, forMs: number): Promise<Smoothness> {
  return (await page.evaluate(`new Promise((done) => {
    const began = performance.now()
    let count = 0, last = began, worstMs = 0
    const step = (now) => {
      count += 1
      worstMs = Math.max(worstMs, now - last)
      last = now
      if (now - began < ${forMs}) requestAnimationFrame(step)
      else done({ fps: (count - 1) / ((now - began) / 1000), worstMs })
    }
    requestAnimationFrame(step)
  })`)) as Smoothness
}

/** Processor time of the page's main thread, in milliseconds: unlike frames a second, it says the same on a busy machine. */
export async function mainThreadMs(debug: CDPSession): Promise<number> {
  const { metrics } = await debug.send('Performance.getMetrics')
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1_000
}

export async function measureWork(page: Page): Promise<CDPSession> {
  const debug = await page.context().newCDPSession(page)
  await debug.send('Performance.enable', { timeDomain: 'threadTicks' })
  return debug
}
