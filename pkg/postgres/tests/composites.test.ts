import { type TestDatabase, testDatabase } from '@millrace/testkit'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CompositeArray, type CompositeField, createPool, type Pool } from '../src/index.js'

const fields: CompositeField[] = [
  { name: 'id', type: 'uuid' },
  { name: 'note', type: 'text' },
  { name: 'count', type: 'int' },
  { name: 'small', type: 'smallint' },
  { name: 'big', type: 'bigint' },
  { name: 'ratio', type: 'double precision' },
  { name: 'done', type: 'boolean' },
]

let database: TestDatabase
let pool: Pool
let oid = 0

beforeAll(async () => {
  database = await testDatabase()
  pool = createPool({ connectionString: database.url, schema: 'shop', max: 1 })
  await pool.query('create schema shop')
  await pool.query(`create type entry as (${fields.map(({ name, type }) => `${name} ${type}`).join(', ')})`)
  oid = (await pool.query<{ oid: number }>(`select 'entry'::regtype::oid::int8 as oid`)).rows[0]?.oid ?? 0
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

const array = new CompositeArray(fields)

const stored = async (rows: readonly Record<string, unknown>[]): Promise<unknown[]> =>
  (await pool.query('select * from unnest($1::entry[])', [array.encode(oid, rows)])).rows

/** PostgreSQL has no text with a NUL, and none that is no Unicode. */
const text = fc.string({ unit: 'binary', maxLength: 300 }).filter((value) => !value.includes('\0'))

const row = fc.record({
  id: fc.option(fc.uuid()),
  note: fc.option(text),
  count: fc.option(fc.integer()),
  small: fc.option(fc.integer({ min: -32_768, max: 32_767 })),
  big: fc.option(fc.maxSafeInteger()),
  ratio: fc.option(fc.double({ noNaN: true })),
  done: fc.option(fc.boolean()),
})

describe('an array of rows as one parameter', () => {
  test('arrives as it was sent', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 20 }), async (rows) => {
        expect(await stored(rows)).toEqual(rows)
      }),
      { numRuns: 200 },
    )
  })

  test('may be larger than any before it, and small again after that', async () => {
    const large = { ...{ id: null, count: 1, small: 1, big: 1, ratio: 1, done: true }, note: 'ü'.repeat(3_000_000) }
    const small = { ...large, note: 'short' }
    expect(await stored([large, small, large])).toEqual([large, small, large])
    expect(await stored([small])).toEqual([small])
  })

  test('takes a field that a row does not have for null', async () => {
    expect(await stored([{ count: 7 }])).toMatchObject([{ count: 7, note: null, id: null, done: null }])
  })

  test.each([
    '',
    'x',
    '019a8f2c-7b1e-7c3d-9e4f-a1b2c3d4e5f',
    '019a8f2c-7b1e-7c3d-9e4f-a1b2c3d4e5f67',
    'g19a8f2c-7b1e-7c3d-9e4f-a1b2c3d4e5f6',
    '019a8f2c07b1e-7c3d-9e4f-a1b2c3d4e5f6',
    '019a8f2c7b1e7c3d9e4fa1b2c3d4e5f6',
  ])('refuses %j as an id', (id) => {
    expect(() => array.encode(oid, [{ id }])).toThrow(TypeError)
  })

  test('refuses a number that does not fit', () => {
    expect(() => array.encode(oid, [{ small: 40_000 }])).toThrow(RangeError)
  })

  test('a NUL in a text is an error of the data', async () => {
    await expect(stored([{ note: 'a\0b' }])).rejects.toMatchObject({ code: '22021' })
  })
})
