import { readFileSync } from 'node:fs'
import pg from 'pg'
import { expect, test } from 'vitest'
import { StackControl } from '../support/stack.js'

const stack = new StackControl()
const processes = ['iam', 'workflow', 'scheduler-1', 'scheduler-2', 'worker-1', 'metadata', 'notification', 'artifact']
const storing = ['iam', 'workflow', 'scheduler', 'metadata', 'notification', 'artifact']

function environOf(name: string): Record<string, string> {
  const entries = readFileSync(`/proc/${stack.entry(name).pid}/environ`, 'utf8').split('\0')
  return Object.fromEntries(entries.map((entry) => [entry.split('=', 1)[0], entry.slice(entry.indexOf('=') + 1)]))
}

/** Which processes have the variable in their environment. */
const holders = (variable: string) => processes.filter((name) => variable in environOf(name))

test('each process has its own secrets and nobody else’s', () => {
  expect(holders('MILLRACE_MASTER_KEY')).toEqual(['iam'])
  expect(holders('MILLRACE_ADMIN_PASSWORD')).toEqual(['iam'])
  expect(holders('MILLRACE_S3_SECRET_KEY')).toEqual(['artifact'])
  expect(holders('MILLRACE_MONGO_URL')).toEqual(['metadata'])
  expect(holders('MILLRACE_NOTIFICATION_KEY')).toEqual(['notification'])
  expect(holders('MILLRACE_ARTIFACT_KEY')).toEqual(['artifact'])
  expect(holders('DATABASE_URL')).toEqual(processes.filter((name) => name !== 'worker-1'))
  for (const variable of ['MILLRACE_SERVICE_KEY', 'MILLRACE_KAFKA_PASSWORD']) {
    const values = processes.map((name) => environOf(name)[variable])
    // Two schedulers are one service.
    expect([variable, new Set(values).size, values.includes(undefined)]).toEqual([
      variable,
      processes.length - 1,
      false,
    ])
  }
})

test('the stores are used by accounts of their services, not by their roots', () => {
  expect(environOf('artifact').MILLRACE_S3_ACCESS_KEY).toBe('artifact')
  expect(new URL(environOf('metadata').MILLRACE_MONGO_URL ?? '').username).toBe('metadata')
})

test('each connection to the database is a service’s own role, and no superuser', async () => {
  for (const name of storing) {
    const { DATABASE_URL = '' } = environOf(name === 'scheduler' ? 'scheduler-1' : name)
    const client = new pg.Client({ connectionString: DATABASE_URL })
    await client.connect()
    try {
      const { rows } = await client.query(
        `select current_user as role, rolsuper from pg_roles where rolname = current_user`,
      )
      expect(rows).toEqual([{ role: `millrace_${name}`, rolsuper: false }])
      const other = name === 'iam' ? 'scheduler.runs' : 'iam.users'
      await expect(client.query(`select count(*) from ${other}`)).rejects.toMatchObject({ code: '42501' })
    } finally {
      await client.end()
    }
  }
})
