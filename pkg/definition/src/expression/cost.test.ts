import { expect, it } from 'vitest'
import type { Scope } from './scope.js'
import { compileTemplate } from './template.js'

const numbers = Array.from({ length: 10_000 }, (_, i) => i)
const texts = numbers.map((i) => `item-${i}`)
const long = 'ab'.repeat(100_000)
const deep: unknown = JSON.parse(`${'['.repeat(90)}${']'.repeat(90)}`)
const input = { numbers, texts, long, deep }
const scope: Scope = { input, tasks: {}, run: {}, task: {} }
const options = { variables: new Set(['input']), isTask: () => false, taskKeys: () => [], allowSecrets: false }

function outcomeOf(source: string): string {
  const { template, problems } = compileTemplate(`\${{ ${source} }}`, options)
  if (problems[0] !== undefined) return problems[0].code
  try {
    template.evaluate(scope)
    return 'fine'
  } catch (error) {
    return (error as { code: string }).code
  }
}

it.each([
  ['input.numbers.map(x, x + 1).filter(y, y > 2).map(z, z * 2).exists(q, q == -1)', 'fine'],
  ['input.texts.filter(x, x.matches("^item-[0-9]+$")).size()', 'fine'],
  ['input.texts.map(x, input.long.matches("[ab]*a[ab]{9}[cd]"))', 'expression_too_expensive'],
  ['(input.long + input.long).matches("[ab]*a[ab]{300}[cd]")', 'expression_too_expensive'],
  ['input.texts.map(x, x.matches("(a|b|ab){300}"))', 'pattern_too_complex'],
  ['"a".matches("(a|b){" + string(999) + "}[cd]")', 'pattern_too_complex'],
  ['input.numbers.map(x, "aaaa".matches("(a|b){" + string(x % 99) + "}[cd]" + string(x)))', 'expression_too_expensive'],
  ['input.numbers.map(x, input.long.lowerAscii())', 'expression_too_expensive'],
  ['input.numbers.map(x, strings.quote(input.long))', 'expression_too_expensive'],
  ['input.numbers.map(x, input.long.split("a"))', 'expression_too_expensive'],
  ['input.numbers.map(x, input.deep == input.deep)', 'expression_too_expensive'],
  ['input.numbers.map(x, size(input.long))', 'expression_too_expensive'],
  ['input.numbers.map(x, timestamp("2024-01-01T00:00:00Z").getFullYear("Asia/Tokyo"))', 'expression_too_expensive'],
  ['input.numbers.map(x, x in input.numbers)', 'expression_too_expensive'],
  ['input.numbers.map(x, "a" + input.long)', 'expression_too_expensive'],
  ['input.long.replace("a", input.long)', 'expression_too_expensive'],
  ['input.long.replace("", input.long)', 'expression_too_expensive'],
  ['input.long.replace("a", "aaaaaaaaaaaaaaaa")', 'result_too_large'],
  ['input.numbers.map(x, input.long.replace("b", "c"))', 'expression_too_expensive'],
  [
    '"%s%s%s%s%s%s".format([input.long, input.long, input.long, input.long, input.long, input.long])',
    'result_too_large',
  ],
  ['"%X%X%X".format([input.long, input.long, input.long])', 'result_too_large'],
  ['input.numbers.map(x, "%s".format([input.long]))', 'expression_too_expensive'],
  ['input.numbers.map(x, "%.20f".format([x]))', 'expression_too_expensive'],
  ['input.numbers.map(x, "%s").join().format(input.numbers)', 'fine'],
  ['input.numbers.map(x, [?optional.of(x)][0]).size()', 'fine'],
  ['input.numbers.map(x, input.long.reverse())', 'expression_too_expensive'],
  ['input.numbers.map(x, input.numbers.sort())', 'expression_too_expensive'],
  ['input.numbers.map(x, input.texts.distinct())', 'expression_too_expensive'],
  ['input.numbers.map(x, [input.long, input.texts]).distinct()', 'expression_too_expensive'],
  ['input.numbers.map(x, input.long + string(x)).sort()', 'expression_too_expensive'],
  ['input.numbers.map(x, input.numbers.reverse())', 'expression_too_expensive'],
  ['input.numbers.map(x, input.numbers.slice(0, 1))', 'expression_too_expensive'],
  ['input.numbers.map(x, lists.range(10000))', 'expression_too_expensive'],
  ['input.numbers.map(x, input.numbers).flatten()', 'list_too_long'],
  ['lists.range(10001)', 'list_too_long'],
  ['lists.range(9223372036854775807)', 'list_too_long'],
  ['input.numbers.map(x, math.greatest(input.numbers))', 'expression_too_expensive'],
  ['input.numbers.map(x, input.deep.flatten(100))', 'expression_too_expensive'],
  ['input.numbers.map(x, input.?numbers[x].orValue(0)).size()', 'fine'],
  ['input.numbers.map(x, optional.of(input.numbers) == optional.of(input.numbers))', 'expression_failed'],
])('%s: %s, and soon', (source, outcome) => {
  const before = performance.now()
  expect(outcomeOf(source)).toBe(outcome)
  // At most 0.2 s on an idle core.
  expect(performance.now() - before).toBeLessThan(3_000)
})

it('refuses more expressions in one template than can be compiled at once', () => {
  const value = Array.from({ length: 400 }, () => `\${{ ${'(1+'.repeat(30)}1${')'.repeat(30)} }}`)
  expect(compileTemplate(value, options).problems).toMatchObject([{ code: 'too_many_expressions' }])
})
