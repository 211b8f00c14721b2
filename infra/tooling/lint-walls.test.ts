import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-walls-'))
  cpSync(join(root, 'biome.json'), join(folder, 'biome.json'))
  // The configuration asks git what to leave out.
  mkdirSync(join(folder, '.git'))
  writeFileSync(join(folder, '.gitignore'), 'node_modules/\n')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function lint(path: string, line: string): string {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${line}\n\nexport const used = it\n`)
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome')
  const args = [biome, 'lint', '--only=style/noRestrictedImports', '--colors=off', file]
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
  return stdout + stderr
}

test.each([
  ['services/scheduler/src/domain/bad.ts', "import it from 'pg'", 'domain/ is pure'],
  ['services/iam/src/domain/bad.ts', "import { it } from 'node:net'", 'domain/ is pure'],
  ['services/workflow/src/domain/bad.ts', "import { it } from '../db/workflows.js'", 'domain/ is pure'],
  ['services/worker/src/domain/bad.ts', "import { it } from '@millrace/iam-service'", 'domain/ is pure'],
  ['services/artifact/src/bad.ts', "import { it } from '@millrace/iam-service'", 'A service never imports another'],
  ['pkg/http/src/bad.ts', "import { it } from '@millrace/iam-service'", 'pkg/ never imports services/'],
  ['web/src/ui/bad.tsx', "import { it } from '../api/client'", 'ui/ knows neither the API nor a room'],
  ['web/src/api/bad.ts', "import { it } from '../ui/button'", 'api/ knows no screen'],
])('a wall stands: %s may not say %s', (path, line, message) => {
  expect(lint(path, line)).toContain(message)
})

test.each([
  ['services/scheduler/src/domain/good.ts', "import { it } from 'node:crypto'"],
  ['services/scheduler/src/db/good.ts', "import it from 'pg'"],
  ['services/standalone/src/good.ts', "import { it } from '@millrace/iam-service'"],
  ['web/src/ui/good.tsx', "import { it } from './format'"],
  ['web/src/runs/good.tsx', "import { it } from '../ui/button'"],
])('no wall is where none should be: %s may say %s', (path, line) => {
  expect(lint(path, line)).not.toContain('noRestrictedImports')
})
