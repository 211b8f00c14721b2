import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-crash-point-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const module = new URL('../dist/index.js', import.meta.url).href
const script = `
import { around, crashPoint } from ${JSON.stringify(module)}
const store = around('store', { write: async (n) => n + 1 })
for (let n = 0; n < 3; n++) { crashPoint('other'); console.log('loop', n, await store.write(n)); crashPoint('here') }
console.log('end')`

function run(order: string | undefined) {
  const file = join(folder, 'order')
  if (order !== undefined) writeFileSync(file, order)
  const env = order === undefined ? {} : { MILLRACE_CRASH_FILE: file }
  const { signal, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    env,
    encoding: 'utf8',
  })
  const left = existsSync(file)
  rmSync(file, { force: true })
  return { signal, loops: stdout.match(/loop/g)?.length ?? 0, end: stdout.includes('end'), left }
}

it.each([
  [undefined, { signal: null, loops: 3, end: true, left: false }],
  ['nowhere 1', { signal: null, loops: 3, end: true, left: true }],
  ['here 1', { signal: 'SIGKILL', loops: 1, end: false, left: false }],
  ['here 2\n', { signal: 'SIGKILL', loops: 2, end: false, left: false }],
  ['here 9', { signal: null, loops: 3, end: true, left: true }],
  ['store.write.before 1', { signal: 'SIGKILL', loops: 0, end: false, left: false }],
  ['store.write.after 3', { signal: 'SIGKILL', loops: 2, end: false, left: false }],
])('an order %j', (order, seen) => {
  expect(run(order)).toEqual(seen)
})
