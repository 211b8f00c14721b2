import { readdir, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

const source = new URL('../src/', import.meta.url)

async function importsOf(folder: string): Promise<{ file: string; line: string }[]> {
  const files = await readdir(new URL(`${folder}/`, source), { recursive: true })
  const found: { file: string; line: string }[] = []
  for (const file of files.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))) {
    const text = await readFile(new URL(`${folder}/${file}`, source), 'utf8')
    for (const [statement] of text.matchAll(/^import [^;]*?from '[^']+'/gms)) found.push({ file, line: statement })
  }
  return found
}

/** `import type { … }`, or braces in which every name is a type. */
function isTypeOnly(line: string): boolean {
  if (line.startsWith('import type ')) return true
  const names = /\{([^}]*)\}/s
    .exec(line)?.[1]
    ?.split(',')
    .map((name) => name.trim()) ?? ['']
  return names.filter(Boolean).every((name) => name.startsWith('type '))
}

const breaches = (imports: readonly { file: string; line: string }[], forbidden: RegExp, types: boolean) =>
  imports
    .filter(({ line }) => forbidden.test(line) && !(types && isTypeOnly(line)))
    .map(({ file, line }) => `${file}: ${line}`)

test('the engine takes from the database its types alone', async () => {
  const imports = await importsOf('engine')
  expect(breaches(imports, /\/db\//, true)).toEqual([])
  expect(breaches(imports, /'(pg|kafkajs)'|\/rpc\//, false)).toEqual([])
})

test('the domain takes nothing from engine, database, wires or clients', async () => {
  expect(breaches(await importsOf('domain'), /\/(db|engine|rpc|consumers|clients)\/|'(pg|kafkajs)'/, false)).toEqual([])
})

test('a breach would be seen', () => {
  const file = 'bad.ts'
  const bad = { file, line: "import { writeBatch } from '../db/batch/write-batch.js'" }
  const mixed = { file, line: "import { type Rows, writeBatch } from '../db/batch/write-batch.js'" }
  const good = { file, line: "import type { Rows } from '../db/batch/clauses.js'" }
  expect(breaches([bad, mixed, good], /\/db\//, true)).toHaveLength(2)
})
