import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const folderOf = (name: string) => fileURLToPath(new URL(`../src/${name}/`, import.meta.url))

interface Found {
  readonly file: string
  readonly statement: string
}

/** Imports with and without names, what is exported again, and imports at run time. */
const takes = [
  /^import [^;]*?from '[^']+'/gms,
  /^import '[^']+'/gm,
  /^export (?:type )?(?:\*[^'\n]*|\{[^}]*\}) from '[^']+'/gm,
  /\bimport\(\s*'[^']+'/g,
]

async function importsOf(folder: string): Promise<Found[]> {
  const files = await readdir(folder, { recursive: true })
  const found: Found[] = []
  for (const file of files.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))) {
    const text = await readFile(join(folder, file), 'utf8')
    for (const take of takes) {
      for (const [statement] of text.matchAll(take)) found.push({ file, statement })
    }
  }
  return found
}

/** `import type { … }`, or braces in which every name is a type. */
function isTypeOnly(statement: string): boolean {
  if (/^(import|export) type /.test(statement)) return true
  const names = /\{([^}]*)\}/s
    .exec(statement)?.[1]
    ?.split(',')
    .map((name) => name.trim()) ?? ['']
  return names.some(Boolean) && names.filter(Boolean).every((name) => name.startsWith('type '))
}

const breaches = (imports: readonly Found[], forbidden: RegExp, types: boolean) =>
  imports
    .filter(({ statement }) => forbidden.test(statement) && !(types && isTypeOnly(statement)))
    .map(({ file, statement }) => `${file}: ${statement}`)

test('the engine takes from the database its types alone', async () => {
  const imports = await importsOf(folderOf('engine'))
  expect(breaches(imports, /\/db\//, true)).toEqual([])
  expect(breaches(imports, /'(pg|kafkajs)'|\/rpc\//, false)).toEqual([])
})

test('the domain takes nothing from engine, database, wires or clients', async () => {
  const imports = await importsOf(folderOf('domain'))
  expect(breaches(imports, /\/(db|engine|rpc|consumers|clients)\/|'(pg|kafkajs)'/, false)).toEqual([])
})

test('a breach would be seen, however it is written', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-walls-'))
  const lines = {
    'good-type.ts': "import type { Rows } from '../db/batch/clauses.js'",
    'good-types.ts': "export { type Rows } from '../db/batch/clauses.js'",
    'good-other.ts': "import { Loop } from './loop.js'",
    'bad-value.ts': "import { writeBatch } from '../db/batch/write-batch.js'",
    'bad-mixed.ts': "import {\n  type Rows,\n  writeBatch,\n} from '../db/batch/write-batch.js'",
    'bad-effect.ts': "import '../db/pools.js'",
    'bad-all.ts': "export * from '../db/batch/write-batch.js'",
    'bad-again.ts': "export { writeBatch } from '../db/batch/write-batch.js'",
    'bad-late.ts': "const { writeBatch } = await import('../db/batch/write-batch.js')",
  }
  try {
    for (const [name, line] of Object.entries(lines)) await writeFile(join(folder, name), `${line}\n`)
    const seen = breaches(await importsOf(folder), /\/db\//, true).map((text) => text.split(':')[0])
    expect(seen.sort()).toEqual(
      Object.keys(lines)
        .filter((name) => name.startsWith('bad-'))
        .sort(),
    )
  } finally {
    await rm(folder, { recursive: true })
  }
})
