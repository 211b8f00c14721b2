import { readdir, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

const root = new URL('../../../', import.meta.url)

/** Of tests, of building and of developing, or what a supervisor tells its processes: not for those who run Millrace. */
const notSettings = new Set(['MILLRACE_CRASH_FILE', 'MILLRACE_PROCESS_HANGS', 'MILLRACE_SERVICE_SECRET'])

async function sources(): Promise<string[]> {
  const folders = await Promise.all(
    ['pkg', 'services', 'infra/stack'].map(async (parent) =>
      (await readdir(new URL(`${parent}/`, root))).map((name) => `${parent}/${name}/src`),
    ),
  )
  const files = await Promise.all(
    folders.flat().map(async (folder) => {
      const found = await readdir(new URL(`${folder}/`, root), { recursive: true }).catch(() => [])
      return found
        .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
        .map((name) => `${folder}/${name}`)
    }),
  )
  return files.flat().filter((name) => !name.startsWith('pkg/testkit/'))
}

test('every setting that a source names is in the configuration reference', async () => {
  const reference = await readFile(new URL('docs/reference/configuration.md', root), 'utf8')
  const files = await sources()
  expect(files.length).toBeGreaterThan(700)
  const names = await Promise.all(
    files.map(async (file) =>
      (await readFile(new URL(file, root), 'utf8')).match(/\bMILLRACE_[A-Z][A-Z0-9_]*[A-Z0-9]\b/g),
    ),
  )
  const unknown = [...new Set(names.flat())].filter(
    (name) => name !== null && !notSettings.has(name) && !reference.includes(`\`${name}\``),
  )
  expect(unknown).toEqual([])
})
