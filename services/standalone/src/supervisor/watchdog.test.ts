import { expect, test } from 'vitest'
import { Watchdog } from './watchdog.js'

function watch(hangMs: number) {
  let now = 1_000
  const seen = { asked: 0, hung: [] as number[] }
  const watchdog = new Watchdog({
    hangMs,
    now: () => now,
    ask: () => seen.asked++,
    onHang: (silentMs) => seen.hung.push(silentMs),
  })
  watchdog.start()
  const pass = (ms: number): void => {
    now += ms
    watchdog.look()
  }
  return { watchdog, seen, pass }
}

test('silence as long as the term is a hang, told once', () => {
  const { watchdog, seen, pass } = watch(1_000)
  for (let i = 0; i < 4; i++) pass(200)
  expect(seen).toEqual({ asked: 5, hung: [] })
  pass(200)
  expect(seen.hung).toEqual([1_000])
  watchdog.stop()
})

test('a sign begins a new term', () => {
  const { watchdog, seen, pass } = watch(1_000)
  for (let i = 0; i < 20; i++) {
    pass(200)
    if (i % 4 === 0) watchdog.heard()
  }
  expect(seen.hung).toEqual([])
  watchdog.stop()
})

test('time in which the watching process did not run is not held against anybody', () => {
  const { watchdog, seen, pass } = watch(1_000)
  pass(3_600_000)
  expect(seen.hung).toEqual([])
  for (let i = 0; i < 5; i++) pass(200)
  expect(seen.hung).toEqual([1_000])
  watchdog.stop()
})
