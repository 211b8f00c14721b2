import { expect, test } from 'vitest'
import { isLoopback } from './loopback.js'

test.each(['127.0.0.1', '127.9.9.9', '::1', '0:0:0:0:0:0:0:1', 'localhost'])('%s is loopback', (host) => {
  expect(isLoopback(host)).toBe(true)
})

test.each(['0.0.0.0', '::', '10.0.0.1', '1::1', '127.0.0.1.example.org', 'example.org', ''])('%s is not', (host) => {
  expect(isLoopback(host)).toBe(false)
})
