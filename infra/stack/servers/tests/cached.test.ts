import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { cached } from '../src/index.js'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-cache-'))
  vi.stubEnv('MILLRACE_CACHE_DIR', folder)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true })
})

test('what many want at once is made once, and then reused', async () => {
  const fill = vi.fn(async (draft: string) => writeFile(join(draft, 'tool'), 'made'))
  const found = await Promise.all([1, 2, 3].map(() => cached('tool-1', fill)))
  found.push(await cached('tool-1', fill))
  expect(new Set(found)).toEqual(new Set([join(folder, 'tool-1')]))
  expect(fill).toHaveBeenCalledTimes(1)
  expect(await readFile(join(folder, 'tool-1', 'tool'), 'utf8')).toBe('made')
})

test('what could not be made leaves nothing behind and is tried again', async () => {
  const broken = async (draft: string) => {
    await writeFile(join(draft, 'half'), '')
    throw new Error('the line went dead')
  }
  await expect(cached('tool-1', broken)).rejects.toThrow('the line went dead')
  expect(await readdir(folder)).toEqual(['tool-1.lock'])
  await cached('tool-1', async (draft) => writeFile(join(draft, 'tool'), ''))
  expect(await readdir(join(folder, 'tool-1'))).toEqual(['tool'])
})
