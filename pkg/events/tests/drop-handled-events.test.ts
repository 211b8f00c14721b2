import { createPool } from '@millrace/postgres'
import { testDatabase } from '@millrace/testkit'
import { expect, test } from 'vitest'
import { dropHandledEvents, migrateEvents } from '../src/index.js'

test('what every group has handled is dropped, what one of them has not is left to be sent', async () => {
  const database = await testDatabase()
  const pool = createPool({ connectionString: database.url, schema: 'events', max: 1 })
  try {
    await migrateEvents(pool)
    await pool.query(
      `insert into log (topic, key, source, data) select 'workflow.started', i::text, 'test', '{}' from generate_series(1, 12000) i`,
    )
    expect(await dropHandledEvents(pool), 'nobody has read').toEqual({ dropped: 0, left: 12_000 })
    await pool.query(`insert into groups (name, position) values ('fast', 12000), ('slow', 11990)`)
    expect(await dropHandledEvents(pool)).toEqual({ dropped: 11_990, left: 10 })
    const { rows } = await pool.query('select min(id) as first from log')
    expect(rows).toEqual([{ first: 11_991 }])
  } finally {
    await pool.end()
    await database.drop()
  }
})
