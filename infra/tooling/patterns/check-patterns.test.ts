import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { checkFile } from './check-patterns.mjs'

const root = mkdtempSync(join(tmpdir(), 'millrace patterns '))
afterAll(() => rmSync(root, { recursive: true, force: true }))

function findingsOf(text: string, name = 'sample.ts'): string[] {
  writeFileSync(join(root, name), text)
  return checkFile(root, name)
}

test('an exponential literal is found where it stands', () => {
  expect(findingsOf('const fine = /^[a-z]+$/\nexport const bad: RegExp = /^(a+)+$/\n')).toEqual([
    expect.stringMatching(/^sample\.ts:2 .*exponential/),
  ])
})

test('a quadratic one too', () => {
  expect(findingsOf("const trim = (s: string) => s.replace(/-+$/, '')")).toEqual([
    expect.stringContaining('polynomial'),
  ])
})

test('a pattern that is put together from constants is read as one', () => {
  const parts = 'const token = "[a-z]+"\nconst bad = new RegExp(`^(${token}|"[ -~]*")*$`, "i")'
  expect(findingsOf(parts)).toEqual([expect.stringContaining('sample.ts:2')])
  expect(findingsOf('const a = /[a-z]+/\nconst fine = new RegExp(`^${a.source}$`)')).toEqual([])
})

test('a pattern that only the running program knows is refused', () => {
  expect(findingsOf('export const of = (text: string) => new RegExp(text)')).toHaveLength(1)
})

test('the pattern of a JSON Schema is one', () => {
  expect(findingsOf("export const schema = { type: 'string', pattern: '^([0-9]+)*$' }")).toHaveLength(1)
  expect(findingsOf("export const schema = { type: 'string', pattern: '^[0-9]*$' }")).toEqual([])
})

test('matching in SQL is refused', () => {
  expect(findingsOf("export const q = 'select id from runs where name ~ $1'")).toHaveLength(1)
  expect(findingsOf('select 1 from t where name ~* $1', 'query.sql')).toHaveLength(1)
  expect(findingsOf("export const q = 'select id from runs where name = $1'")).toEqual([])
})

test("a gateway's pattern is one", () => {
  expect(findingsOf('match:\n  safe_regex:\n    regex: (a*)*b\n', 'envoy.yaml')).toEqual([
    expect.stringContaining('envoy.yaml:3'),
  ])
})
