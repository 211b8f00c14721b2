import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

const root = join(import.meta.dirname, '../..')
const folder = join(root, '.github/workflows')
const targets = new Set([...readFileSync(join(root, 'Makefile'), 'utf8').matchAll(/^([a-z-]+):/gm)].map((m) => m[1]))

interface Step {
  uses?: string
  run?: string
}
interface Job {
  'timeout-minutes'?: number
  needs?: string
  /** Another workflow of this folder, in place of steps. */
  uses?: string
  strategy?: { matrix: { target?: string[] } }
  steps?: Step[]
}
interface Workflow {
  on: { push?: { tags?: string[] } }
  jobs: Record<string, Job>
  permissions: unknown
}
const read = (file: string): Workflow => parse(readFileSync(join(folder, file), 'utf8'))

test.each(readdirSync(folder))('%s: actions are pinned, jobs bounded, commands are targets that exist', (file) => {
  const { jobs, permissions } = read(file)
  expect(permissions).toEqual({ contents: 'read' })
  for (const [name, job] of Object.entries(jobs)) {
    if (job.uses) {
      expect(Object.keys(read(job.uses.replace('./.github/workflows/', '')).on)).toContain('workflow_call')
      continue
    }
    expect([name, job['timeout-minutes']]).toEqual([name, expect.any(Number)])
    for (const { uses, run = '' } of job.steps ?? []) {
      if (uses) expect(uses).toMatch(/@[0-9a-f]{40}$/)
      const made = [...run.matchAll(/\bmake ([a-z -]+)/g)].flatMap((match) => match[1]?.trim().split(' ') ?? [])
      for (const target of [...made, ...(job.strategy?.matrix.target ?? [])]) {
        expect([file, target, targets.has(target)]).toEqual([file, target, true])
      }
    }
  }
})

test('every target that tests is run by a job', () => {
  const jobs = readdirSync(folder).flatMap((file) => Object.values(read(file).jobs))
  const run = jobs.flatMap(({ steps = [], strategy }) => [
    ...steps.flatMap((step) => [...(step.run ?? '').matchAll(/\bmake ([a-z-]+)/g)].map((match) => match[1])),
    ...(strategy?.matrix.target ?? []),
  ])
  expect([...targets].filter((target) => target?.startsWith('test') && !run.includes(target))).toEqual([])
})

test('a tag starts one workflow alone: tests, then images, then the release', () => {
  expect(readdirSync(folder).filter((file) => read(file).on.push?.tags)).toEqual(['release.yml'])
  const { jobs } = read('release.yml')
  expect(Object.keys(jobs)).toEqual(['test', 'images', 'release'])
  expect([jobs.test?.uses, jobs.images?.uses]).toEqual(['./.github/workflows/ci.yml', './.github/workflows/images.yml'])
  expect([jobs.images?.needs, jobs.release?.needs]).toEqual(['test', 'images'])
})
