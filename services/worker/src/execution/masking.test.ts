import { describe, expect, it } from 'vitest'
import { Mask } from './masking.js'

const secret = `a<b> "c'&=%+\\ ~(é)/d😀`

const url = (make: (url: URL) => void): string => {
  const made = new URL('http://x.example/')
  make(made)
  return made.href
}

describe('Mask', () => {
  it.each([
    ['itself', secret],
    ['JSON', JSON.stringify({ a: secret })],
    [
      'JSON that is safe in HTML',
      JSON.stringify(secret).replace(/[<>&]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`),
    ],
    ['a component of a URL', encodeURIComponent(secret)],
    ['small hexadecimal digits', encodeURIComponent(secret).replace(/%../g, (hex) => hex.toLowerCase())],
    ['a whole URL', encodeURI(secret)],
    ['a query', url((made) => (made.search = `q=${secret}`))],
    ['a path', url((made) => (made.pathname = `/${secret}`))],
    ['a fragment', url((made) => (made.hash = secret))],
    ['a form', new URLSearchParams({ q: secret }).toString()],
    ['HTML', secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')],
    [
      'HTML by numbers',
      Array.from(secret, (c) => (/\w/.test(c) ? c : `&#x${c.codePointAt(0)?.toString(16)};`)).join(''),
    ],
    ['base64', Buffer.from(secret).toString('base64')],
    ['base64 for URLs', Buffer.from(secret).toString('base64url')],
    ['hexadecimal', Buffer.from(secret).toString('hex')],
    ['large hexadecimal', Buffer.from(secret).toString('hex').toUpperCase()],
    ['escaped bytes', Buffer.from(secret).toString('hex').replace(/../g, '\\x$&')],
    ['a query in a query', encodeURIComponent(encodeURIComponent(secret))],
    [
      'JSON by numbers',
      Array.from({ length: secret.length }, (_, i) => `\\u${secret.charCodeAt(i).toString(16).padStart(4, '0')}`).join(
        '',
      ),
    ],
  ])('hides a secret in %s', (_form, text) => {
    const shown = new Mask([secret]).text(`before ${text} after`)
    expect(shown).toMatch(/^before .*\*\*\*.* after$/)
    expect(shown.replace('before', '').replace('after', '')).not.toMatch(/[bcd]|é|%[0-9a-f]/i)
  })

  it.each([
    ['base64 in a form', encodeURIComponent(Buffer.from(secret).toString('base64'))],
    ['JSON in JSON', JSON.stringify({ a: JSON.stringify({ a: secret }) })],
    ['JSON in JSON in JSON', JSON.stringify({ a: JSON.stringify({ a: JSON.stringify([secret]) }) })],
    ['JSON in a query', encodeURIComponent(JSON.stringify({ a: secret }))],
    ['a query in a query in JSON', JSON.stringify(encodeURIComponent(encodeURIComponent(secret)))],
  ])('hides a secret in %s', (_form, text) => {
    const shown = new Mask([secret]).text(text)
    expect(shown).toContain('***')
    expect(shown).not.toMatch(/c|é|😀/)
  })

  it.each(['', 'x', 'xy', 'xyz', 'user:', '{"k":"'])(
    'hides a secret in base64 of more, with %j before it',
    (before) => {
      const word = 'hunter2-hunter2-hunter2'
      for (const after of ['', '!', '"}', ' and then']) {
        for (const encoding of ['base64', 'base64url'] as const) {
          const data = Buffer.from(`${before}${word}${after}`).toString(encoding)
          const shown = new Mask([word]).text(`Authorization: Basic ${data}.`)
          expect(shown).toContain('***')
          // What is left of it decodes to less than a digit of the secret on each side.
          expect(Buffer.from(shown, 'latin1').toString()).not.toMatch(/aHVudGVy|h1bnRlcj|odW50ZXIy/)
          expect(shown.length).toBeLessThan(`Authorization: Basic ${data}.`.length - word.length)
        }
      }
    },
  )

  it('hides a hundred secrets in megabytes as fast as one', () => {
    const words = Array.from({ length: 100 }, (_, i) => `secret-number-${i}-${'0123456789abcdef'.repeat(3)}`)
    const mask = new Mask(words)
    const text = `${'some output, '.repeat(600_000)}${words[42]}`
    const startedAt = performance.now()
    expect(mask.text(text).endsWith(', ***')).toBe(true)
    expect(performance.now() - startedAt).toBeLessThan(1500)
  })

  it('is bounded for a repeated secret in megabytes of itself', () => {
    const mask = new Mask(['a'.repeat(60_000), 'a'.repeat(500), 'aaaa'])
    const startedAt = performance.now()
    expect(mask.text(`b${'a'.repeat(8_000_000)}b`)).toMatch(/^b\*+b$/)
    expect(mask.text(`b${'\\\\'.repeat(2_000_000)}b`)).toMatch(/^b.*b$/)
    expect(performance.now() - startedAt).toBeLessThan(5000)
  })

  it('hides a secret that was added after text was seen', () => {
    const mask = new Mask(['first-secret'])
    expect(mask.text('first-secret second-secret')).toBe('*** second-secret')
    mask.add('second-secret')
    expect(mask.text('first-secret second-secret')).toBe('*** ***')
  })

  it('hides each line of a secret of many', () => {
    const mask = new Mask(['-----BEGIN-----\r\nfirst line of it\nsecond one\nx\n'])
    expect(mask.text('say first line of it, second one')).toBe('say ***, ***')
    expect(mask.text('-----BEGIN-----\nfirst line of it\nsecond one\nx\n')).not.toMatch(/first|second/)
    expect(mask.text('x stays')).toBe('x stays')
  })

  it('leaves other text as it is', () => {
    const text = 'a<b> "c\'&=%+\\ ~(e)/d %3Ca &amp; x'
    expect(new Mask([secret]).text(text)).toBe(text)
    expect(new Mask(['a.cd']).text('abcd a.cd a%2Ecd')).toBe('abcd *** ***')
  })

  it.each([
    ['percent signs', '%'.repeat(4000), '%25'.repeat(20_000)],
    ['encoded percent signs', '%25'.repeat(1300), `${'%25'.repeat(20_000)}x`],
    ['ampersands', '&'.repeat(4000), '&amp;'.repeat(12_000)],
    ['encoded ampersands', '&amp;'.repeat(1300), `${'&amp;'.repeat(12_000)}x`],
    ['backslashes', '\\'.repeat(4000), '\\/'.repeat(30_000)],
    ['slashes', `${'/'.repeat(4000)}x`, '\\/'.repeat(30_000)],
    ['line ends', `${'\n'.repeat(4000)}x`, '\r\n'.repeat(30_000)],
    ['spaces', `${' +'.repeat(2000)}x`, '+'.repeat(60_000)],
  ])('takes no time to speak of with many %s', (_what, hostile, text) => {
    const mask = new Mask([hostile])
    const startedAt = performance.now()
    mask.text(text)
    expect(performance.now() - startedAt).toBeLessThan(2000)
  })

  it('takes secrets of 64 KiB and outputs of megabytes', () => {
    const large = '%<é'.repeat(20_000)
    const mask = new Mask([large, 'small-secret'])
    const filler = 'some text & %20 more + '.repeat(100_000)
    const startedAt = performance.now()
    expect(mask.text(`x${large}y small-secret`)).toBe('x***y ***')
    expect(mask.text(`${filler}${encodeURIComponent(large)}small%2Dsecret`) === `${filler}******`).toBe(true)
    expect(performance.now() - startedAt).toBeLessThan(5000)
  })

  it('hides overlapping secrets as one, and others side by side', () => {
    expect(new Mask(['abcdef', 'cdefgh']).text('xabcdefghx')).toBe('x***x')
    expect(new Mask(['abcd']).text('abcdabcd abcd')).toBe('****** ***')
  })

  it('does not take ordinary text for a short secret', () => {
    expect(new Mask(['+', '%2B']).text('a b & c + %2B')).toBe('a b & c *** ***')
  })
})
