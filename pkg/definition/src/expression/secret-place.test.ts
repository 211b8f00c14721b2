import { describe, expect, it } from 'vitest'
import { taskVariables } from './scope.js'
import { fillSecrets, secretText } from './secret-place.js'
import { compileTemplate, type TemplateOptions } from './template.js'

const options: TemplateOptions = {
  variables: taskVariables,
  isTask: () => false,
  taskKeys: () => [],
  allowSecrets: true,
}
const expr = (source: string) => `\${{ ${source} }}`
const values: Record<string, string> = { a: 'A!', b: expr('secrets.a'), c: '' }

function filled(template: unknown, input: unknown = {}): unknown {
  const compiled = compileTemplate(template, options, ['tasks', 'x', 'with'])
  const { value, secrets } = compiled.template.resolve({ input, tasks: {}, run: {}, task: {} })
  return fillSecrets(JSON.parse(JSON.stringify(value)), secrets, (name) => values[name] ?? 'missing')
}

describe('fillSecrets', () => {
  it('puts secrets where the definition has them', () => {
    expect(filled({ h: { x: `Bearer ${expr('secrets.a')}` }, list: [1, expr('secrets.a')] })).toEqual({
      h: { x: 'Bearer A!' },
      list: [1, 'A!'],
    })
    expect(filled(`<${expr('secrets.a')}${expr('secrets.c')}${expr('secrets.a')}>`)).toBe('<A!A!>')
  })

  it('leaves alone what only looks like one', () => {
    const text = expr('secrets.a')
    const template = { whole: expr('input.t'), mixed: `${expr('input.t')} ${expr('secrets.a')} ${expr('input.t')}` }
    expect(filled(template, { t: text })).toEqual({ whole: text, mixed: `${text} A! ${text}` })
    expect(filled({ x: expr('secrets.b') })).toEqual({ x: text })
  })

  it('finds its place behind text of any length and width', () => {
    expect(filled(`${expr('input.t')}${expr('secrets.a')}`, { t: '😀\u0000"\\\n' })).toBe('😀\u0000"\\\nA!')
  })

  it('reaches keys of odd names and no prototype', () => {
    const template = JSON.parse(`{"__proto__": {"k": "${expr('secrets.a')}"}, "": "${expr('secrets.a')}"}`) as object
    expect(JSON.stringify(filled(template))).toBe('{"__proto__":{"k":"A!"},"":"A!"}')
    expect(({} as Record<string, unknown>).k).toBeUndefined()
  })

  it('refuses places that do not fit', () => {
    const at = (path: string[], start = 0) => [{ path, at: start, name: 'a' }]
    const fill = (value: unknown, places: ReturnType<typeof at>) => () => fillSecrets(value, places, () => 'v')
    expect(fill({ x: 'other' }, at(['x']))).toThrow(/place/)
    expect(fill({ x: 7 }, at(['x']))).toThrow(/place/)
    expect(fill({}, at(['constructor', 'name']))).toThrow(/place/)
    expect(fill({ x: `${secretText('a')}` }, at(['x'], 1))).toThrow(/place/)
  })
})
