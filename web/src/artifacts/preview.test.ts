import { describe, expect, it } from 'vitest'
import { csvRows, previewKindOf, previewOf, textOf } from './preview'

const kind = (contentType: string, name = 'file') => previewKindOf({ contentType, name })

describe('what is previewed of an artifact', () => {
  it.each([
    ['image/png', 'image'],
    ['application/json; charset=utf-8', 'json'],
    ['application/problem+json', 'json'],
    ['text/csv', 'csv'],
    ['text/plain', 'text'],
    ['application/zip', 'none'],
  ])('%s', (type, expected) => expect(kind(type)).toBe(expected))

  it('shows markup and scripts as their source, never as what they are', () => {
    for (const type of ['text/html', 'image/svg+xml', 'application/xhtml+xml', 'application/javascript']) {
      expect(kind(type), type).toBe('text')
    }
    expect(kind('application/pdf', 'a.html')).toBe('none')
  })

  it('goes by the name only where no type is given', () => {
    expect(kind('application/octet-stream', 'build.LOG')).toBe('text')
    expect(kind('', 'rows.csv')).toBe('csv')
    expect(kind('application/octet-stream', 'core')).toBe('none')
  })

  it('takes no bytes for text that are none', () => {
    expect(textOf(new Uint8Array([104, 105]))).toBe('hi')
    expect(textOf(new Uint8Array([137, 80, 0, 71]))).toBeUndefined()
  })

  it('falls back to text for JSON that is cut off or broken', () => {
    expect(previewOf('json', '{"a":1}', false)).toEqual({ kind: 'json', value: { a: 1 } })
    expect(previewOf('json', '{"a":1}', true)).toEqual({ kind: 'text', text: '{"a":1}' })
    expect(previewOf('json', '{"a":', false)).toEqual({ kind: 'text', text: '{"a":' })
  })
})

describe('CSV', () => {
  it('reads quotes, line ends inside them, empty fields and a missing last line end', () => {
    expect(csvRows('a,b\r\n"x, ""y""","1\n2"\n,\nlast,', 10)).toEqual([
      ['a', 'b'],
      ['x, "y"', '1\n2'],
      ['', ''],
      ['last', ''],
    ])
  })

  it('reads a byte order mark, a quote that never closes, and no more than asked for', () => {
    expect(csvRows('\uFEFFa\nb\nc', 2)).toEqual([['a'], ['b']])
    expect(csvRows('a,"open\nb', 10)).toEqual([['a', 'open\nb']])
    expect(csvRows('', 10)).toEqual([])
  })

  it('is quick with a hostile megabyte', () => {
    const begun = performance.now()
    csvRows('"'.repeat(1_000_000), 200)
    csvRows(','.repeat(1_000_000), 200)
    expect(performance.now() - begun).toBeLessThan(1_000)
  })
})
