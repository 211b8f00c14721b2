import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { faultsOf } from './check-docs.mjs'

const files = new Map([['docs/guides/b.md', '# B\n\n## What is proved, and what is not\n']])
const check = (text: string) => faultsOf('docs/a.md', text, (path) => files.get(path), new Set(['run']))

test('links that lead somewhere, and targets that exist, are right', () => {
  const right =
    '# A\n[b](guides/b.md) [c](guides/b.md#what-is-proved-and-what-is-not) [d](#a) [e](https://x.example/y) `make run`'
  expect(check(right)).toEqual([])
})

test.each([
  ['[b](guides/c.md)', 'guides/c.md is not there'],
  ['[b](guides/b.md#elsewhere)', 'no heading'],
  ['[b](#nowhere)', 'no heading'],
  ['`make hay`', 'make hay does not exist'],
])('%s is a fault', (text, fault) => {
  expect(check(text)).toEqual([expect.stringContaining(fault)])
})

test('every document is right', () => {
  expect(execFileSync(process.execPath, [join(import.meta.dirname, 'check-docs.mjs')], { encoding: 'utf8' })).toMatch(
    /, 0 faults/,
  )
})
