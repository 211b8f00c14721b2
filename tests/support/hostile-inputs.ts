import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { type Client, uniqueName } from './client.js'
import { hostileRoles } from './hostile-roles.js'
import { hostileWork } from './hostile-work.js'
import { type Target, targetIsOwn } from './target.js'

export interface HostileInput {
  name: string
  /** An earlier refusal would prove nothing, and neither would its lack: a status of HTTP, or what gRPC calls it. */
  expected: number | string
  /** What it may add, where that is more than is promised of all others; docs/security.md says why. */
  promisedMs?: number
  send(
    client: Client,
    target: Pick<Target, 'grpcAddress' | 'url' | 'admin'>,
  ): Promise<{ status: number | string; body?: unknown }>
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

/** Faults of a definition are in the answer, which is 200. */
const validate = (name: string, raw: string, headers = yaml): HostileInput => ({
  ...{ name, expected: 200 },
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
const inputs: [string, number, object, unknown][] = [
  [
    'contains',
    422,
    { properties: { l: { allOf: many(200, (i) => ({ contains: { const: -1 - i } })) } } },
    { l: numbers },
  ],
  [
    'millions of errors',
    422,
    { properties: { l: { allOf: many(90, () => ({ items: { type: 'string' } })) } } },
    { l: numbers },
  ],
  ['a long url', 202, { properties: { u: { format: 'url' } } }, { u: `http://${'a.'.repeat(100_000)}` }],
  [
    'unique items',
    202,
    { properties: { l: { uniqueItems: true } } },
    { l: numbers.map((i) => ({ i })).slice(0, 20_000) },
  ],
  ['a pattern on long text', 422, { properties: { t: { pattern: '^(a|aa|b)*[cd]$' } } }, { t: 'ab'.repeat(100_000) }],
  [
    'patterns of names',
    422,
    { patternProperties: Object.fromEntries(many(60, (i) => [`^[a-z]*${i}$`, {}])) },
    Object.fromEntries(many(9_000, (i) => [`key-${i}`, 1])),
  ],
  [
    'towers of anyOf',
    422,
    { anyOf: many(250, () => ({ additionalProperties: { anyOf: [{ type: 'string' }] } })) },
    Object.fromEntries(many(9_000, (i) => [`k${i}`, 1])),
  ],
  ['names', 422, { propertyNames: { maxLength: 3 } }, Object.fromEntries(many(20_000, (i) => [`k${i}`, 1]))],
  [
    'deep input',
    202,
    { type: 'object' },
    { a: JSON.parse(`${'['.repeat(90)}${'1,'.repeat(90_000)}1${']'.repeat(90)}`) },
  ],
  [
    'dependent schemas',
    422,
    { dependentSchemas: Object.fromEntries(many(250, (i) => [`k${i}`, { additionalProperties: { type: 'string' } }])) },
    Object.fromEntries(many(9_000, (i) => [`k${i}`, 1])),
  ],
]

/** As much as a body may hold: these are parsed whole, and refused as inputs for their size. A key counts as three values. */
const largest: [string, number, object, unknown][] = [
  ['as many numbers as a body may hold', 422, {}, { l: many(498_000, () => 1) }],
  ['as many keys as a body may hold', 422, {}, Object.fromEntries(many(124_000, (i) => [`k${i}`, 1]))],
  ['as many lists as a body may hold', 422, {}, { l: many(248_000, () => []) }],
  ['as many objects as a body may hold', 422, {}, { l: many(99_000, (i) => ({ [`k${i}`]: 1 })) }],
  ['as long a text as a body may hold', 422, {}, { t: 'ab"\\'.repeat(1_300_000) }],
]

const startWith = ([name, expected, schema, input]: [string, number, object, unknown]): HostileInput => ({
  ...{ name: `a run whose input meets ${name}`, expected },
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
  ...{ name: `an expression: ${name}`, expected: 202 },
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
  expected: number,
  path: string,
  raw: string | Buffer,
  headers: Record<string, string> = json,
): HostileInput => ({
  ...{ name, expected },
  send: (client) => client.call('POST', path, { raw, headers }),
})
const get = (name: string, expected: number, path: string, headers: Record<string, string> = {}): HostileInput => ({
  ...{ name, expected },
  send: (client) => client.call('GET', path, { headers }),
})

/** Of a workflow that is there: without one it would be looked for first, and nothing else at. */
const ofWorkflow = (
  name: string,
  expected: number,
  request: (client: Client, workflow: string) => ReturnType<Client['call']>,
): HostileInput => ({
  ...{ name, expected },
  async send(client) {
    const workflow = await client.createWorkflow({ name: uniqueName('hostile'), tasks: { a: { uses: 'noop' } } })
    return request(client, workflow.name)
  },
})

const ranges: HostileInput = {
  ...{ name: 'ranges', expected: 200 },
  async send(client) {
    const { id } = await client.want<{ id: string }>(201, 'POST', '/api/v1/artifacts', { body: { name: 'f' } })
    const path = `/api/v1/artifacts/${id}/content`
    const octets = { 'content-type': 'application/octet-stream' }
    await client.want(200, 'PUT', path, { raw: Buffer.alloc(mib), headers: octets })
    return client.call('GET', path, { headers: { range: `bytes=${'0-0,'.repeat(2_000)}1-` } })
  },
}

/** These are refused for what they are, before the workflow is looked for. */
const runs = '/api/v1/workflows/none/runs'
const requests: HostileInput[] = [
  post(
    'a media type',
    422,
    '/api/v1/artifacts',
    JSON.stringify({ name: 'a', contentType: `a/b${';a=""'.repeat(40)}!` }),
  ),
  post('8 MiB of numbers', 422, runs, `{"input":[${'1,'.repeat(4 * mib - 20)}1]}`),
  post('8 MiB of keys', 422, runs, `{"input":{${fill(8 * mib - 100, (i) => `"k${i}":1,`)}"z":1}}`),
  post('8 MiB of escapes', 422, runs, `{"input":"${'\\u0041'.repeat(1_390_000)}"}`),
  post('8 MiB of NUL', 422, runs, `{"labels":{"a":"${'\\u0000'.repeat(1_390_000)}"}}`),
  post('8 MiB of brackets', 422, runs, '['.repeat(8 * mib - 1)),
  post('8 MiB of empty lists', 422, runs, `{"input":[${'[],'.repeat(2_700_000)}[]]}`),
  post('one key a million times', 422, runs, `{${'"input":1,'.repeat(800_000)}"input":1}`),
  post('a body that grows', 413, runs, gzipSync(Buffer.alloc(512 * mib)), { ...json, 'content-encoding': 'gzip' }),
  post('a small body that grows to 8 MiB', 422, runs, gzipSync(`{"input":[${'1,'.repeat(4 * mib - 20)}1]}`), {
    ...json,
    'content-encoding': 'gzip',
  }),
  post('labels', 422, runs, `{"labels":{${fill(4 * mib, (i) => `"k${i}":"v",`)}"z":"v"}}`),
  post('a batch of wrong items', 422, `${runs}/batch`, `{"items":[${'1,'.repeat(400_000)}1]}`),
  post('a batch of too many', 422, `${runs}/batch`, `{"items":[${'{},'.repeat(400_000)}{}]}`),
  post('ids', 422, '/api/v1/dlq/retry', `{"ids":[${'"x",'.repeat(400_000)}"x"]}`),
  post(
    'a long password',
    422,
    '/api/v1/auth/login',
    JSON.stringify({ email: 'a@b.test', password: 'x'.repeat(4 * mib) }),
  ),
  post(
    'a long address',
    422,
    '/api/v1/auth/login',
    JSON.stringify({ email: `${'a.'.repeat(2 * mib)}@b.test`, password: 'x' }),
  ),
  post(
    'a cron expression',
    422,
    '/api/v1/schedules',
    JSON.stringify({ workflow: 'none', cron: `${'1,'.repeat(500_000)}1 * * * *` }),
  ),
  ofWorkflow('a cron that never comes', 422, (client, workflow) =>
    client.call('POST', '/api/v1/schedules', { body: { workflow, cron: '0 0 30 2 *' } }),
  ),
  post('a multipart body', 415, '/api/v1/workflows', '--a\r\n'.repeat(500_000), {
    'content-type': 'multipart/form-data; boundary=a',
  }),
  post('subscriptions', 422, '/api/v1/subscriptions', `{"events":[${'"workflow.completed",'.repeat(300_000)}"x"]}`),
  ofWorkflow('a media type header', 202, (client, workflow) => {
    const headers = { 'content-type': `application/json${';a=b'.repeat(3_000)}` }
    return client.call('POST', `/api/v1/workflows/${workflow}/runs`, { raw: '{}', headers })
  }),
  get('a query of many', 422, `/api/v1/runs?${'label=a%3Db&'.repeat(1_000)}`),
  get('a long filter', 422, `/api/v1/runs?q=${'%25'.repeat(4_000)}`),
  get('a cursor', 422, `/api/v1/runs?cursor=${'A'.repeat(12_000)}`),
  get('many headers', 200, '/api/v1/runs', Object.fromEntries(many(80, (i) => [`x-h-${i}`, 'v'.repeat(100)]))),
  get('a long token', 401, '/api/v1/runs', { authorization: `Bearer ${'a.'.repeat(6_000)}` }),
  ranges,
]

const storm: HostileInput = {
  ...{ name: 'streams that come and go', expected: 200 },
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
  ...{ name: 'a run of 2,000 tasks that each get a long text', expected: 202, promisedMs: 750 },
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
  ...largest.map(startWith),
  ...expressions.map(evaluate),
  ...requests,
  ...hostileWork,
  ...hostileRoles,
  // Two hundred requests, and 2,000 tasks: thirteen processes of a stack on two cores are busy with them for seconds.
  ...(targetIsOwn ? [storm, longInputs] : []),
]
