import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cached, runTool } from '@millrace/stack-servers'
import { expect, test } from 'vitest'

const version = 'v1.7.12'
const folder = join(import.meta.dirname, '../../.github/workflows')

async function lint(files: string[]): Promise<{ status: number | null; stdout: string }> {
  const tool = await cached(`actionlint-${version}`, (draft) =>
    runTool('go', ['install', `github.com/rhysd/actionlint/cmd/actionlint@${version}`], {
      env: { GOBIN: draft, GOFLAGS: '-buildvcs=false -modcacherw' },
      purpose: 'to check the workflows of the pipeline',
    }),
  )
  return spawnSync(join(tool, 'actionlint'), ['-no-color', ...files], { encoding: 'utf8' })
}

test('actionlint accepts every workflow', async () => {
  const { status, stdout } = await lint(readdirSync(folder).map((name) => join(folder, name)))
  expect(status, stdout).toBe(0)
})

test('and finds a wrong one', async () => {
  const draft = mkdtempSync(join(tmpdir(), 'millrace-workflow-'))
  try {
    mkdirSync(join(draft, '.github/workflows'), { recursive: true })
    const file = join(draft, '.github/workflows/bad.yml')
    writeFileSync(
      file,
      'on: push\njobs: { a: { runs-on: ubuntu-24.04, steps: [{ run: "echo ${{ github.nothing }}" }] } }\n',
    )
    expect((await lint([file])).stdout).toContain('nothing')
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
})
