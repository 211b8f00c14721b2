import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { missingEntries } from './complete-lockfile.mjs'
import { fingerprint, isBuilt, isInstalled } from './workspace.mjs'

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'millrace workspace '))
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

function lay(path: string, content: unknown): string {
  const file = join(root, path)
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

test('the fingerprint follows contents and names, not times', () => {
  const file = lay('a.ts', 'one')
  const before = fingerprint(root, [file])
  utimesSync(file, 1, 1)
  expect(fingerprint(root, [file])).toBe(before)
  lay('a.ts', 'two')
  expect(fingerprint(root, [file])).not.toBe(before)
  expect(fingerprint(root, [lay('b.ts', 'one')])).not.toBe(before)
})

const wanted = { 'node_modules/a': { version: '1.0.0' }, 'node_modules/b': { version: '2.0.0', optional: true } }

test('installed means: every package of the lockfile is there in its version, optional ones apart', () => {
  expect(isInstalled(root)).toBe(false)
  lay('package-lock.json', { packages: { '': {}, 'pkg/x': { version: '0.1.0' }, ...wanted } })
  lay('node_modules/.package-lock.json', { packages: { 'node_modules/a': { version: '1.0.0' } } })
  expect(isInstalled(root)).toBe(false)
  lay('node_modules/a/package.json', {})
  expect(isInstalled(root)).toBe(true)
  lay('node_modules/.package-lock.json', { packages: { 'node_modules/a': { version: '0.9.0' } } })
  expect(isInstalled(root)).toBe(false)
})

test('built means: each source has its file in dist, tests and declarations apart', () => {
  lay('x/src/main.ts', '')
  lay('x/src/main.test.ts', '')
  lay('x/src/deep/types.d.ts', '')
  lay('x/src/deep/table.sql', '')
  expect(isBuilt(join(root, 'x'))).toBe(false)
  lay('x/dist/main.js', '')
  expect(isBuilt(join(root, 'x'))).toBe(true)
  lay('x/src/deep/part.ts', '')
  expect(isBuilt(join(root, 'x'))).toBe(false)
})

test('every package of this repository is built as it stands, so that a second start builds nothing', () => {
  const repository = join(import.meta.dirname, '../..')
  const packages = ['pkg', 'services'].flatMap((parent) =>
    readdirSync(join(repository, parent)).map((name) => join(repository, parent, name)),
  )
  expect(packages.filter((folder) => existsSync(join(folder, 'package.json')) && !isBuilt(folder))).toEqual([])
})

test('the lockfile names the optional packages of every platform, or npm ci would refuse it', () => {
  const file = join(import.meta.dirname, '../../package-lock.json')
  const { packages } = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, unknown> }
  expect(missingEntries(packages), 'run node infra/tooling/complete-lockfile.mjs').toEqual({})
  expect(missingEntries({ 'node_modules/x': { optionalDependencies: { 'x-linux-x64-musl': '1.2.3' } } })).toEqual({
    'node_modules/x-linux-x64-musl': { version: '1.2.3', cpu: ['x64'], libc: ['musl'], optional: true, os: ['linux'] },
  })
})

test('every other entry of the lockfile has its integrity', () => {
  const file = join(import.meta.dirname, '../../package-lock.json')
  type Entry = { integrity?: string; link?: boolean; optional?: boolean }
  const { packages } = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, Entry> }
  const installed = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link)
  const bare = installed.filter(([, { integrity }]) => !integrity)
  // Binaries of other platforms, which the registry here does not have: see docs/not-executed.md.
  const known = /^node_modules\/(@biomejs\/cli|@rollup\/rollup)-(?!linux-(x64|arm64))/
  expect(bare.filter(([path, { optional }]) => !optional || !known.test(path)).map(([path]) => path)).toEqual([])
  expect(bare.length).toBeLessThanOrEqual(28)
})
