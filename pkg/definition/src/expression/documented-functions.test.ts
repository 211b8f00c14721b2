import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { environment } from './functions.js'

test('every function of expressions is in the reference, and no other', async () => {
  const page = await readFile(new URL('../../../../docs/reference/expressions.md', import.meta.url), 'utf8')
  const table = page.slice(page.indexOf('## Functions'), page.indexOf('## Bounds'))
  const documented = [
    ...table.matchAll(/`(?:[a-z]+\.(?!parse|encode|quote|range|greatest|least|of|none))?([A-Za-z.]+)\(/g),
  ].map(([, name]) => name)
  const names = [...environment.funcs].map(({ name }) => name).filter((name) => /^[a-z]/.test(name))
  expect([...new Set(documented)].sort()).toEqual([...new Set(names)].sort())
})
