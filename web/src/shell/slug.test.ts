import { expect, it } from 'vitest'
import { slugOf } from './slug'

it.each([
  ['Order fulfilment', 'order-fulfilment'],
  ['  Émile & Söhne (2) ', 'emile-sohne-2'],
  ['北京', ''],
  [`${'a'.repeat(62)} b`, 'a'.repeat(62)],
])('makes a slug of %s', (name, slug) => expect(slugOf(name)).toBe(slug))
