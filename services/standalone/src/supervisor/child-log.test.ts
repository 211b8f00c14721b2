import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ChildLog } from './child-log.js'
import { RotatingFile } from './rotating-file.js'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-log-'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('a log stays below its bound and keeps the generation before', () => {
  const path = join(folder, 'a.log')
  const file = new RotatingFile(path, 100)
  for (let i = 0; i < 25; i++) file.write(Buffer.from(`line ${String(i).padStart(4, '0')}\n`))
  expect(statSync(path).size).toBeLessThanOrEqual(100)
  expect(readFileSync(`${path}.1`, 'utf8') + readFileSync(path, 'utf8')).toMatch(/line 0010\n[\s\S]*line 0024\n$/)
  file.close()
})

test('errors are shown short, also when a line arrives in pieces, and not over and over', () => {
  const shown: string[] = []
  const terminal = { line: () => undefined, error: (text: string) => shown.push(text) }
  const log = new ChildLog('edge', join(folder, 'edge.log'), terminal)
  const line = JSON.stringify({
    level: 'error',
    service: 'iam',
    msg: 'no luck',
    err: { message: 'because', stack: 'long' },
  })
  log.write(Buffer.from('{"level":"info","msg":"fine"}\n'))
  for (let i = 0; i < 3; i++) {
    log.write(Buffer.from(line.slice(0, 20)))
    log.write(Buffer.from(`${line.slice(20)}\n`))
  }
  expect(shown).toEqual(['edge: [iam] no luck (because)'])
})
