import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { type Client, uniqueName } from './client.js'
import { hostileWork } from './hostile-work.js'
import { type Target, targetIsOwn } from './target.js'

export interface HostileInput {
  name: string
  /** Where an early refusal would prove nothing, or its lack would: a status of HTTP, or what gRPC calls it. */
  expected?: number | string
  send(client: Client, target: Pick<Target, 'grpcAddress'>): Promise<{ status: number | string; body?: unknown }>
}

const mib = 1024 * 1024
const yaml = { 'content-type': 'application/yaml' }
const json = { 'content-type': 'application/json' }
const fill = (bytes: number, line: (i: number) => string): string => {
  const lines: string[] = []
  for (let i = 0, length = 0; length < bytes; i++) {
    const next = line(i)
    length += next.length
    lines.push(next)
  }
  return lines.join('')
}

const validate = (name: string, raw: string, headers = yaml): HostileInput => ({
  name,
  send: (client) => client.call('POST', '/api/v1/workflows/validate', { raw, headers }),
})

const texts: [string, string][] = [
  ['keys', fill(88_000, (i) => `k${i}: 1\n`)],
  ['a mebibyte of keys', fill(mib - 20, (i) => `k${i}: 1\n`)],
  ['one key again and again', fill(mib - 20, () => 'k: 1\n')],
  ['open brackets', '['.repeat(mib - 1)],
  ['nesting by indent', fill(mib - 2_000, (i) => `${' '.repeat(i)}a:\n`)],
  ['aliases', `a: &a 1\n${fill(900_000, (i) => `k${i}: *a\n`)}`],
  ['aliases that multiply', fill(2_000, (i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]\n`)],
  ['anchors', '&a '.repeat(300_000)],
  ['tags', '!a '.repeat(300_000)],
  ['colons', ': '.repeat(500_000)],
  ['empty lines', '\n'.repeat(mib - 1)],
  ['comments', '#\n'.repeat(500_000)],
  ['wrong escapes', `"${'\\q'.repeat(100_000)}"`],
  ['commas', `[${','.repeat(mib - 10)}]`],
  ['lists as keys', fill(300_000, (i) => `? [a${i}]\n: 1\n`)],
  ['documents', '---\n'.repeat(250_000)],
  ['merged maps', `a: &a {x: 1}\n${fill(500_000, (i) => `k${i}: {<<: *a}\n`)}`],
]

const task = (with_: unknown) => JSON.stringify({ name: 'w', tasks: { a: { uses: 'noop', with: { output: with_ } } } })
const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

const definitions: [string, string][] = [
  ['unknown fields', `{${fill(900_000, (i) => `"k${i}":1,`)}"z":1}`],
  ['values', `[${'1,'.repeat(500_000)}1]`],
  ['depth', `${'['.repeat(500_000)}${']'.repeat(500_000)}`],
  ['duplicates', `{${fill(900_000, () => '"k":1,')}"k":1}`],
  ['expressions', task(many(6_000, () => `\${{ ${'('.repeat(60)}1${')'.repeat(60)} }}`))],
  ['long expressions', task(many(200, () => `\${{ ${'1+'.repeat(1_900)}1 }}`))],
  ['open expressions', task('${{'.repeat(300_000))],
  ['quotes in expressions', task(`\${{ ${'"'.repeat(3_000)} }}`)],
  ['large patterns', task(many(200, (i) => `\${{ "a".matches("a{900}${i}") }}`))],
  ['counted patterns', task(many(200, (i) => `\${{ "a".matches("${'a{1000}'.repeat(100)}${i}") }}`))],
  [
    'tasks that need all others',
    JSON.stringify({
      name: 'w',
      tasks: Object.fromEntries(many(450, (i) => [`t${i}`, { uses: 'noop', needs: many(i, (n) => `t${n}`) }])),
    }),
  ],
  [
    'a cycle of 2,000',
    JSON.stringify({
      name: 'w',
      tasks: Object.fromEntries(many(2_000, (i) => [`t${i}`, { uses: 'noop', needs: [`t${(i + 1) % 2_000}`] }])),
    }),
  ],
  ['tags', JSON.stringify({ name: 'w', tags: many(100_000, String), tasks: { a: { uses: 'noop' } } })],
  [
    'long durations',
    JSON.stringify({ name: 'w', timeout: `P${'1D'.repeat(200_000)}x`, tasks: { a: { uses: 'noop' } } }),
  ],
]

const $defs = Object.fromEntries(
  many(40, (i) => [`d${i}`, { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] }]),
)
const schemas: [string, object][] = [
  ['references that double', { $ref: '#/$defs/d0', $defs: { ...$defs, d40: {} } }],
  ['a large pattern', { pattern: 'a{1000}b{1000}c{1000}' }],
  ['many patterns', { allOf: many(400, (i) => ({ pattern: `[ab]{90}${i}` })) }],
  [
    'five thousand parts',
    { properties: Object.fromEntries(many(1_600, (i) => [`p${i}`, { type: 'string', minLength: i }])) },
  ],
  ['a wrong schema', { allOf: many(5_000, () => ({ type: 'nothing' })) }],
]

const numbers = many(40_000, (i) => i)
const inputs: [string, object, unknown][] = [
  ['contains', { properties: { l: { allOf: many(200, (i) => ({ contains: { const: -1 - i } })) } } }, { l: numbers }],
  [
    'millions of errors',
    { properties: { l: { allOf: many(90, () => ({ items: { type: 'string' } })) } } },
    { l: numbers },
  ],
  ['a long url', { properties: { u: { format: 'url' } } }, { u: `http://${'a.'.repeat(100_000)}` }],
  ['unique items', { properties: { l: { uniqueItems: true } } }, { l: numbers.map((i) => ({ i })).slice(0, 20_000) }],
  ['a pattern on long text', { properties: { t: { pattern: '^(a|aa|b)*[cd]$' } } }, { t: 'ab'.repeat(100_000) }],
  [
    'patterns of names',
    { patternProperties: Object.fromEntries(many(60, (i) => [`^[a-z]*${i}$`, {}])) },
    Object.fromEntries(many(9_000, (i) => [`key-${i}`, 1])),
  ],
  [
    'towers of anyOf',
    { anyOf: many(250, () => ({ additionalProperties: { anyOf: [{ type: 'string' }] } })) },
    Object.fromEntries(many(9_000, (i) => [`k${i}`, 1])),
  ],
  ['names', { propertyNames: { maxLength: 3 } }, Object.fromEntries(many(20_000, (i) => [`k${i}`, 1]))],
  ['deep input', { type: 'object' }, { a: JSON.parse(`${'['.repeat(90)}${'1,'.repeat(90_000)}1${']'.repeat(90)}`) }],
  [
    'dependent schemas',
    { dependentSchemas: Object.fromEntries(many(250, (i) => [`k${i}`, { additionalProperties: { type: 'string' } }])) },
    Object.fromEntries(many(9_000, (i) => [`k${i}`, 1])),
  ],
]

/** As much as a body may hold: these are parsed whole, and refused as inputs for their size. A key counts as three values. */
const largest: [string, object, unknown][] = [
  ['as many numbers as a body may hold', {}, { l: many(498_000, () => 1) }],
  ['as many keys as a body may hold', {}, Object.fromEntries(many(124_000, (i) => [`k${i}`, 1]))],
  ['as many lists as a body may hold', {}, { l: many(248_000, () => []) }],
  ['as many objects as a body may hold', {}, { l: many(99_000, (i) => ({ [`k${i}`]: 1 })) }],
  ['as long a text as a body may hold', {}, { t: 'ab"\\'.repeat(1_300_000) }],
]

const startWith = ([name, schema, input]: [string, object, unknown]): HostileInput => ({
  name: `a run whose input meets ${name}`,
  async send(client) {
    const workflow = uniqueName('hostile')
    const made = await client.call('POST', '/api/v1/workflows', {
      body: { name: workflow, input: schema, tasks: { a: { uses: 'noop' } } },
    })
    return made.status === 201 ? client.call('POST', `/api/v1/workflows/${workflow}/runs`, { body: { input } }) : made
  },
})

const expressions: [string, string][] = [
  ['a pattern in a loop', '${{ input.texts.map(x, input.long.matches("[ab]*a[ab]{9}[cd]")) }}'],
  ['patterns made in a loop', '${{ input.numbers.map(x, "a".matches("(a|b){99}" + string(x))) }}'],
  ['a large text', '${{ (input.long + input.long).matches("[ab]*a[ab]{300}[cd]") }}'],
  ['lower case', '${{ input.numbers.map(x, input.long.lowerAscii()) }}'],
  ['comparing lists', '${{ input.numbers.map(x, input.numbers == input.numbers) }}'],
  ['membership', '${{ input.numbers.map(x, x in input.numbers) }}'],
  ['time zones', '${{ input.numbers.map(x, timestamp("2024-01-01T00:00:00Z").getHours("Asia/Tokyo")) }}'],
  ['splitting', '${{ input.numbers.map(x, input.long.split("a")) }}'],
]

const evaluate = ([name, output]: [string, string]): HostileInput => ({
  name: `an expression: ${name}`,
  async send(client) {
    const workflow = uniqueName('hostile')
    const tasks = { a: { uses: 'noop', with: { output } } }
    const made = await client.call('POST', '/api/v1/workflows', { body: { name: workflow, tasks } })
    const input = { numbers: many(9_000, (i) => i), texts: many(3_000, (i) => `item-${i}`), long: 'ab'.repeat(50_000) }
    return made.status === 201 ? client.call('POST', `/api/v1/workflows/${workflow}/runs`, { body: { input } }) : made
  },
})

const post = (
  name: string,
  path: string,
  raw: string | Buffer,
  headers: Record<string, string> = json,
): HostileInput => ({
  name,
  send: (client) => client.call('POST', path, { raw, headers }),
})
const get = (name: string, path: string, headers: Record<string, string> = {}): HostileInput => ({
  name,
  send: (client) => client.call('GET', path, { headers }),
})

const runs = '/api/v1/workflows/none/runs'
const requests: HostileInput[] = [
  post('a media type', '/api/v1/artifacts', JSON.stringify({ name: 'a', contentType: `a/b${';a=""'.repeat(40)}!` })),
  post('8 MiB of numbers', runs, `{"input":[${'1,'.repeat(4 * mib - 20)}1]}`),
  post('8 MiB of keys', runs, `{"input":{${fill(8 * mib - 100, (i) => `"k${i}":1,`)}"z":1}}`),
  post('8 MiB of escapes', runs, `{"input":"${'\\u0041'.repeat(1_390_000)}"}`),
  post('8 MiB of NUL', runs, `{"labels":{"a":"${'\\u0000'.repeat(1_390_000)}"}}`),
  post('8 MiB of brackets', runs, '['.repeat(8 * mib - 1)),
  post('8 MiB of empty lists', runs, `{"input":[${'[],'.repeat(2_700_000)}[]]}`),
  post('one key a million times', runs, `{${'"input":1,'.repeat(800_000)}"input":1}`),
  post('a body that grows', runs, gzipSync(Buffer.alloc(512 * mib)), { ...json, 'content-encoding': 'gzip' }),
  post('a small body that grows to 8 MiB', runs, gzipSync(`{"input":[${'1,'.repeat(4 * mib - 20)}1]}`), {
    ...json,
    'content-encoding': 'gzip',
  }),
  post('labels', runs, `{"labels":{${fill(4 * mib, (i) => `"k${i}":"v",`)}"z":"v"}}`),
  post('a batch of wrong items', `${runs}/batch`, `{"items":[${'1,'.repeat(400_000)}1]}`),
  post('a batch of too many', `${runs}/batch`, `{"items":[${'{},'.repeat(400_000)}{}]}`),
  post('ids', '/api/v1/dlq/retry', `{"ids":[${'"x",'.repeat(400_000)}"x"]}`),
  post('a long password', '/api/v1/auth/login', JSON.stringify({ email: 'a@b.test', password: 'x'.repeat(4 * mib) })),
  post(
    'a long address',
    '/api/v1/auth/login',
    JSON.stringify({ email: `${'a.'.repeat(2 * mib)}@b.test`, password: 'x' }),
  ),
  post(
    'a cron expression',
    '/api/v1/schedules',
    JSON.stringify({ workflow: 'none', cron: `${'1,'.repeat(500_000)}1 * * * *` }),
  ),
  post('a cron that never comes', '/api/v1/schedules', JSON.stringify({ workflow: 'none', cron: '0 0 30 2 *' })),
  post('a multipart body', '/api/v1/workflows', '--a\r\n'.repeat(500_000), {
    'content-type': 'multipart/form-data; boundary=a',
  }),
  post('subscriptions', '/api/v1/subscriptions', `{"events":[${'"workflow.completed",'.repeat(300_000)}"x"]}`),
  post('a media type header', runs, '{}', { 'content-type': `application/json${';a=b'.repeat(3_000)}` }),
  get('a query of many', `/api/v1/runs?${'label=a%3Db&'.repeat(1_000)}`),
  get('a long filter', `/api/v1/runs?q=${'%25'.repeat(4_000)}`),
  get('a cursor', `/api/v1/runs?cursor=${'A'.repeat(12_000)}`),
  get('many headers', '/api/v1/runs', Object.fromEntries(many(90, (i) => [`x-h-${i}`, 'v'.repeat(100)]))),
  get('a long token', '/api/v1/runs', { authorization: `Bearer ${'a.'.repeat(6_000)}` }),
  get('ranges', '/api/v1/artifacts/00000000-0000-7000-8000-000000000000/content', {
    range: `bytes=${'0-0,'.repeat(2_000)}1-`,
  }),
]

const storm: HostileInput = {
  name: 'streams that come and go',
  async send(client) {
    const run = await client.runTasks({ a: { uses: 'sleep', with: { duration: '30s' } } })
    const once = async (): Promise<void> => {
      const abort = new AbortController()
      const reply = await client.open('GET', `/api/v1/runs/${run.id}/events`, { signal: abort.signal })
      await reply.body?.getReader().read()
      abort.abort()
    }
    for (let i = 0; i < 10; i++) await Promise.allSettled(many(20, once))
    return client.call('POST', `/api/v1/runs/${run.id}/cancel`, { body: {} })
  },
}

/** 400 MB of inputs and as much of outputs, from a body of 200 kB: seen for a few seconds, then cancelled. */
const longInputs: HostileInput = {
  name: 'a run of 2,000 tasks that each get a long text',
  async send(client) {
    const workflow = uniqueName('hostile')
    const output = '${{ input.long }}'
    const tasks = Object.fromEntries(many(2_000, (i) => [`t${i}`, { uses: 'noop', with: { output } }]))
    await client.createWorkflow({ name: workflow, tasks })
    const run = await client.startRun(workflow, { input: { long: 'ab'.repeat(100_000) } })
    await delay(8_000)
    await client.call('POST', `/api/v1/runs/${run.id}/cancel`, { body: {} })
    await client.ended(run.id)
    return { status: 202 }
  },
}

export const hostileInputs: HostileInput[] = [
  ...texts.map(([name, text]) => validate(`YAML: ${name}`, text)),
  ...definitions.map(([name, text]) => validate(`a definition: ${name}`, text, json)),
  ...schemas.map(([name, input]) =>
    validate(`a schema: ${name}`, JSON.stringify({ name: 'w', input, tasks: { a: { uses: 'noop' } } }), json),
  ),
  ...inputs.map(startWith),
  ...largest.map((input) => ({ ...startWith(input), expected: 422 })),
  ...expressions.map(evaluate),
  ...requests,
  ...hostileWork,
  // Two hundred requests, and 2,000 tasks: thirteen processes of a stack on two cores are busy with them for seconds.
  ...(targetIsOwn ? [storm, longInputs] : []),
]
