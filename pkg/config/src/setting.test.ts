import { expect, test } from 'vitest'
import { eventsField } from './events-field.js'
import { duration, integer, oneOf, string } from './fields.js'
import { readConfig } from './read-config.js'
import { settingsOf } from './setting.js'

test('a reader tells every setting with its kind, default and range, although nothing is set', () => {
  const { settings, undeclared } = settingsOf((env) =>
    readConfig(env, {
      name: string('NAME'),
      port: integer('PORT', { default: 8080, min: 1, max: 65_535 }),
      wait: duration('WAIT', { default: undefined }),
      colour: oneOf('COLOUR', ['red', 'blue'], { default: 'red' }),
    }),
  )
  expect(settings).toEqual([
    { name: 'NAME', kind: 'text', required: true, default: undefined },
    { name: 'PORT', kind: 'integer', required: false, default: 8080, min: 1, max: 65_535 },
    { name: 'WAIT', kind: 'duration', required: false, default: undefined },
    { name: 'COLOUR', kind: 'choice', required: false, default: 'red', values: ['red', 'blue'] },
  ])
  expect(undeclared).toEqual([])
})

test('a field of several variables tells them all', () => {
  const { settings, undeclared } = settingsOf((env) => readConfig(env, { events: eventsField }))
  expect(settings.map(({ name }) => name)).toContain('MILLRACE_KAFKA_PASSWORD')
  expect(undeclared).toEqual([])
})

test('what is read past the fields is found', () => {
  expect(settingsOf((env) => env.SECRET_SWITCH).undeclared).toEqual(['SECRET_SWITCH'])
})
