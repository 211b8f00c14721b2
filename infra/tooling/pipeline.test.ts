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
  strategy?: { matrix: { target?: string[] } }
  steps: Step[]
}

test.each(readdirSync(folder))('%s: actions are pinned, jobs bounded, commands are targets that exist', (file) => {
  const { jobs, permissions } = parse(readFileSync(join(folder, file), 'utf8')) as {
    jobs: Record<string, Job>
    permissions: unknown
  }
  expect(permissions).toEqual({ contents: 'read' })
  for (const [name, job] of Object.entries(jobs)) {
    expect([name, job['timeout-minutes']]).toEqual([name, expect.any(Number)])
    for (const { uses, run = '' } of job.steps) {
      if (uses) expect(uses).toMatch(/@[0-9a-f]{40}$/)
      const made = [...run.matchAll(/\bmake ([a-z -]+)/g)].flatMap((match) => match[1]?.trim().split(' ') ?? [])
      for (const target of [...made, ...(job.strategy?.matrix.target ?? [])]) {
        expect([file, target, targets.has(target)]).toEqual([file, target, true])
      }
    }
  }
})

test('every target that tests is run by a job', () => {
  const workflows = readdirSync(folder).map((file) => parse(readFileSync(join(folder, file), 'utf8')).jobs)
  const jobs: Job[] = workflows.flatMap((each) => Object.values(each))
  const run = jobs.flatMap(({ steps, strategy }) => [
    ...steps.flatMap((step) => [...(step.run ?? '').matchAll(/\bmake ([a-z-]+)/g)].map((match) => match[1])),
    ...(strategy?.matrix.target ?? []),
  ])
  expect([...targets].filter((target) => target?.startsWith('test') && !run.includes(target))).toEqual([])
})
