import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { testDatabase } from '@millrace/testkit'
import pg from 'pg'
import { expect, test } from 'vitest'

const main = join(import.meta.dirname, '..', 'dist', 'main.js')
const services = ['iam', 'workflow', 'scheduler', 'metadata', 'notification', 'artifact']
const passwords = Object.fromEntries(
  services.map((name) => [`${name.toUpperCase()}_DATABASE_PASSWORD`, `pw-of-${name}-long-enough`]),
)

const run = (env: Record<string, string>) =>
  spawnSync(process.execPath, [main], { env: { PATH: process.env.PATH, ...env }, encoding: 'utf8' })

test('prepares the database as often as it is run, and tells no password', async () => {
  const database = await testDatabase()
  try {
    for (let i = 0; i < 2; i++) {
      const { status, stdout, stderr } = run({ DATABASE_URL: database.url, ...passwords })
      expect([status, stdout + stderr]).toEqual([0, expect.stringContaining('the database roles are ready')])
      expect(stdout + stderr).not.toContain('pw-of-')
    }
    const url = new URL(database.url)
    url.username = `${url.pathname.slice(1)}_iam`
    url.password = 'pw-of-iam-long-enough'
    const iam = new pg.Client({ connectionString: url.href })
    await iam.connect()
    await iam.query('create table iam.mine (id int)')
    await expect(iam.query('create table workflow.mine (id int)')).rejects.toMatchObject({ code: '42501' })
    await iam.end()
  } finally {
    await database.drop()
  }
})

test('names every fault of its configuration', () => {
  const { status, stderr } = run({ DATABASE_URL: 'mysql://x', IAM_DATABASE_PASSWORD: 'short' })
  expect(status).toBe(1)
  for (const name of ['DATABASE_URL', 'IAM_DATABASE_PASSWORD', 'ARTIFACT_DATABASE_PASSWORD'])
    expect(stderr).toContain(name)
})
