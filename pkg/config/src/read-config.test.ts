import { describe, expect, test } from 'vitest'
import {
  address,
  boolean,
  ConfigError,
  duration,
  type Field,
  integer,
  list,
  masterKey,
  oneOf,
  readConfig,
  secret,
  string,
  url,
} from './index.js'

const read = <T>(field: Field<T>, value?: string): T => readConfig({ [field.name]: value }, { it: field }).it as T

const faultsOf = (run: () => unknown): string[] => {
  try {
    run()
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
  return []
}

test('every fault is listed at once, each naming its variable', () => {
  const faults = faultsOf(() =>
    readConfig(
      { PORT: 'eighty', FLAG: 'perhaps', WAIT: '5 parsecs', DB: 'not a url', SECRET: 'short', LEVEL: 'loud' },
      {
        port: integer('PORT', { default: 8080, min: 1, max: 65_535 }),
        flag: boolean('FLAG', { default: false }),
        wait: duration('WAIT', { default: 1000 }),
        db: url('DB', { protocols: ['postgres:', 'postgresql:'] }),
        secret: secret('SECRET', { minLength: 16 }),
        level: oneOf('LEVEL', ['info', 'debug'], { default: 'info' }),
        missing: string('MISSING'),
        fine: string('FINE', { default: 'yes' }),
      },
    ),
  )
  expect(faults.map((fault) => fault.split(' ')[0])).toEqual([
    'PORT',
    'FLAG',
    'WAIT',
    'DB',
    'SECRET',
    'LEVEL',
    'MISSING',
  ])
  expect(faults[0]).toBe('PORT must be a whole number from 1 to 65535, not "eighty"')
  expect(faults[6]).toBe('MISSING is required')
})

test('a malformed value is never replaced by the default', () => {
  expect(faultsOf(() => read(integer('N', { default: 5 }), '5x'))).toHaveLength(1)
})

test('blank counts as unset', () => {
  expect(read(integer('N', { default: 5 }), '  ')).toBe(5)
  expect(faultsOf(() => read(string('S'), ''))).toEqual(['S is required'])
})

test('a secret or a URL with a password is not repeated in its fault', () => {
  expect(faultsOf(() => read(secret('S', { minLength: 20 }), 'hunter2')).join()).not.toContain('hunter2')
  expect(faultsOf(() => read(url('U', { protocols: ['https:'] }), 'http://a:hunter2@b')).join()).not.toContain(
    'hunter2',
  )
})

describe('each kind', () => {
  test.each([
    ['0', 0],
    ['-3', -3],
    ['9007199254740991', 9007199254740991],
  ])('integer reads %s', (raw, value) => expect(read(integer('N'), raw)).toBe(value))

  test.each(['1.5', '1e3', '0x10', '9007199254740993', 'NaN', 'Infinity'])('integer refuses %s', (raw) => {
    expect(faultsOf(() => read(integer('N'), raw))).toHaveLength(1)
  })

  test.each([
    ['250', 250],
    ['250ms', 250],
    ['30s', 30_000],
    ['5m', 300_000],
    ['1h', 3_600_000],
    ['2d', 172_800_000],
  ])('duration reads %s', (raw, value) => expect(read(duration('D'), raw)).toBe(value))

  test('duration keeps its bounds', () => {
    expect(faultsOf(() => read(duration('D', { min: 1000 }), '10ms'))).toHaveLength(1)
    expect(faultsOf(() => read(duration('D', { max: 1000 }), '2s'))).toHaveLength(1)
  })

  test.each([
    ['TRUE', true],
    ['0', false],
    ['off', false],
  ])('boolean reads %s', (raw, value) => expect(read(boolean('B'), raw)).toBe(value))

  test('list splits and trims', () => {
    expect(read(list('L'), ' a:1, b:2,,')).toEqual(['a:1', 'b:2'])
    expect(faultsOf(() => read(list('L', { pattern: /^\w+:\d+$/ }), 'a:1,b'))[0]).toContain('"b"')
  })

  test('address wants a port', () => {
    expect(read(address('A'), '127.0.0.1:7000')).toBe('127.0.0.1:7000')
    expect(read(address('A'), '[::1]:7000')).toBe('[::1]:7000')
    expect(read(address('A'), '10.0.0.1:7000,10.0.0.2:7000')).toBe('10.0.0.1:7000,10.0.0.2:7000')
    expect(faultsOf(() => read(address('A'), '10.0.0.1:7000,10.0.0.2'))).toHaveLength(1)
    for (const bad of ['host', 'host:0', 'host:99999', 'http://host:1']) {
      expect(faultsOf(() => read(address('A'), bad))).toHaveLength(1)
    }
  })

  test('a master key is 32 bytes in hexadecimal or base64, and is never shown', () => {
    const key = Buffer.alloc(32, 0xfb)
    for (const text of [key.toString('hex'), key.toString('base64'), key.toString('base64url')]) {
      expect(read(masterKey('K'), text)).toEqual(key)
    }
    for (const bad of ['short', key.subarray(1).toString('base64'), `${key.toString('hex')}00`, 'ß'.repeat(43)]) {
      expect(faultsOf(() => read(masterKey('K'), bad))).toEqual([
        'K must be 32 bytes as base64 or as 64 hexadecimal digits',
      ])
    }
    expect(read(masterKey('K', { default: undefined }))).toBeUndefined()
  })

  test('an absent default may be undefined', () => {
    expect(read(string('S', { default: undefined }))).toBeUndefined()
  })
})
