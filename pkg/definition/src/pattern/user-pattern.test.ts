import { RE2JS } from 're2js'
import { describe, expect, it } from 'vitest'
import { patternSize } from './pattern-size.js'
import { compilePattern } from './user-pattern.js'

const codeOf = (source: string): string => {
  try {
    compilePattern(source)
    return 'fine'
  } catch (error) {
    return (error as { code: string }).code
  }
}

describe("a user's pattern", () => {
  it.each([
    '^[a-z0-9-]{1,63}$',
    '^o-\\d+$',
    '[A-Fa-f0-9]{64}',
    '^(\\w+\\.)*\\w+@[^@]+$',
    '',
    '\\Q(a{9}\\E{3}',
    '[]a]{3}',
  ])('may be %s', (source) => expect(codeOf(source)).toBe('fine'))

  it.each([
    ['a{1000}b{1000}', 'pattern_too_complex'],
    ['(a{40}){40}', 'pattern_too_complex'],
    ['(\\Q(\\Ea{40}){40}', 'pattern_too_complex'],
    ['([)]a{40}){40}', 'pattern_too_complex'],
    ['((((a{5}){5}){5}){5}){5}', 'pattern_too_complex'],
    ['a{0,1000}'.repeat(100), 'pattern_too_complex'],
    ['a'.repeat(1_001), 'pattern_too_long'],
    ['(?=a)', 'bad_pattern'],
    ['(', 'bad_pattern'],
  ])('may not be %s', (source, code) => expect(codeOf(source)).toBe(code))

  it('is refused without being compiled', () => {
    const before = performance.now()
    for (let i = 0; i < 200; i++) codeOf(`${'a{1000}'.repeat(140)}${i}`)
    expect(performance.now() - before).toBeLessThan(1_000)
  })

  it('is never larger than its text says', () => {
    const sources = [
      'a{3}',
      '(a|b){7}',
      '(?i)[a-z]{2,9}x?',
      '(a{3}b){4}|c*',
      '\\pL{5}',
      '[^\\]{3}]{6}',
      '[[:alpha:]]{5}',
      'é{9}',
      '(?:(?:a|bc){3,5}){2}',
      '(x+x+)+y',
      '\\Qa.b\\E{3}',
    ]
    for (const source of sources) {
      expect([source, patternSize(source)]).toEqual([source, expect.any(Number)])
      expect(patternSize(source) + 2).toBeGreaterThanOrEqual(RE2JS.compile(source).programSize())
    }
  })
})
