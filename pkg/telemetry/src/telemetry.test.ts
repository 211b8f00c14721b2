import { expect, test } from 'vitest'
import {
  counter,
  currentTraceparent,
  gauge,
  histogram,
  metricsText,
  openSpan,
  startTelemetry,
  withSpan,
  withTraceparent,
} from './index.js'

startTelemetry({ serviceName: 'test' })
const remote = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

test('a span has a trace id without a collector, and children share it across awaits', async () => {
  expect(currentTraceparent()).toBeUndefined()
  await withSpan('outer', {}, async () => {
    const outer = currentTraceparent()?.split('-')
    await new Promise((resolve) => setImmediate(resolve))
    const inner = await withSpan('inner', {}, () => currentTraceparent()?.split('-'))
    expect(inner?.[1]).toBe(outer?.[1])
    expect(inner?.[2]).not.toBe(outer?.[2])
  })
})

test('a remote parent is continued', async () => {
  const inside = await withTraceparent(remote, 'work', {}, () => currentTraceparent())
  expect(inside).toContain('0af7651916cd43dd8448eb211c80319c')
  expect(inside).not.toContain('b7ad6b7169203331')
})

test.each([
  undefined,
  '',
  'rubbish',
  '00-00000000000000000000000000000000-b7ad6b7169203331-01',
  `${remote}-extra`.repeat(99),
])('a bad parent (%s) begins a new trace', async (bad) => {
  const inside = await withTraceparent(bad, 'work', {}, () => currentTraceparent())
  expect(inside).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/)
  expect(inside).not.toContain('0'.repeat(32))
})

test('a failure passes through', async () => {
  await expect(withSpan('x', {}, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  await expect(
    withSpan('x', {}, () => {
      throw new Error('at once')
    }),
  ).rejects.toThrow('at once')
})

test('an open span does not leak into its opener', () => {
  const open = openSpan('x', {})
  expect(open.run(() => currentTraceparent())).toBeDefined()
  expect(currentTraceparent()).toBeUndefined()
  open.end()
})

test('a measure is made once however often it is asked for', async () => {
  const options = { name: 'millrace_test_total', help: 'x', labelNames: ['a'] as const }
  counter(options).inc({ a: '1' })
  counter(options).inc({ a: '1' })
  gauge({ name: 'millrace_test_gauge', help: 'x' }).set(3)
  histogram({ name: 'millrace_test_seconds', help: 'x' }).observe(0.004)
  const text = await metricsText()
  expect(text).toContain('millrace_test_total{a="1"} 2')
  expect(text).toContain('millrace_test_gauge 3')
  expect(text).toContain('millrace_test_seconds_bucket{le="0.005"} 1')
  expect(text).toContain('process_cpu_seconds_total')
})
