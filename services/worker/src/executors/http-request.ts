import { invalidInput } from '../execution/execution-failure.js'
import {
  field,
  type InputObject,
  inputObject,
  optionalInteger,
  optionalObject,
  optionalString,
  requiredString,
} from './input.js'

export interface HttpCall {
  method: string
  url: string
  headers: Record<string, string>
  body: string | undefined
  isExpected: (status: number) => boolean
  maxResponseBytes: number
  /** Credentials as they go over the wire: hidden like the secrets they were made from. */
  masked: string[]
  unknownFields: string[]
}

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
const known: ReadonlySet<string> = new Set([
  ...['method', 'url', 'headers', 'query', 'body', 'auth', 'expect', 'maxResponseBytes'],
])
const maxBytes = 8 * 1024 * 1024
const defaultMaxBytes = 4 * 1024 * 1024

export function readHttpCall(raw: unknown): HttpCall {
  const input = inputObject(raw)
  const headers = readHeaders(optionalObject(input, 'headers'))
  const masked = applyAuth(optionalObject(input, 'auth'), headers)
  const method = (optionalString(input, 'method') ?? 'GET').toUpperCase()
  if (!methods.has(method)) throw invalidInput(`\`method\` must be one of ${[...methods].join(', ')}`)
  return {
    method,
    url: withQuery(requiredString(input, 'url'), optionalObject(input, 'query')),
    headers,
    body: readBody(field(input, 'body'), method, headers),
    isExpected: readExpect(field(input, 'expect')),
    maxResponseBytes: optionalInteger(input, 'maxResponseBytes', { min: 1, max: maxBytes }) ?? defaultMaxBytes,
    masked,
    unknownFields: Object.keys(input).filter((name) => !known.has(name)),
  }
}

function scalar(value: unknown, what: string): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw invalidInput(`${what} must be a string, a number or a boolean`)
}

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** Visible text and tabs, no control characters: a line break would begin another header. */
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/
/** The transport writes these itself; a second opinion about length or framing is how requests get smuggled. */
const framing: ReadonlySet<string> = new Set([
  ...['connection', 'content-length', 'expect', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
])

function setHeader(headers: Record<string, string>, name: string, value: string): void {
  if (!headerName.test(name)) throw invalidInput('`headers` has a malformed name')
  const lower = name.toLowerCase()
  if (framing.has(lower)) throw invalidInput(`the header \`${lower}\` cannot be set`)
  if (!headerValue.test(value)) throw invalidInput(`the header \`${lower}\` has characters that cannot be sent`)
  headers[lower] = value
}

function readHeaders(given: InputObject | undefined): Record<string, string> {
  const headers: Record<string, string> = Object.create(null)
  for (const [name, value] of Object.entries(given ?? {})) {
    if (value !== null) setHeader(headers, name, scalar(value, 'a header'))
  }
  return headers
}

function applyAuth(auth: InputObject | undefined, headers: Record<string, string>): string[] {
  if (!auth) return []
  const type = requiredString(auth, 'type')
  switch (type) {
    case 'basic': {
      const pair = `${requiredString(auth, 'username')}:${optionalString(auth, 'password') ?? ''}`
      const encoded = Buffer.from(pair).toString('base64')
      setHeader(headers, 'authorization', `Basic ${encoded}`)
      return [encoded]
    }
    case 'bearer': {
      const token = requiredString(auth, 'token')
      setHeader(headers, 'authorization', `Bearer ${token}`)
      return [token]
    }
    case 'header': {
      const value = requiredString(auth, 'value')
      setHeader(headers, requiredString(auth, 'name'), value)
      return [value]
    }
    default:
      throw invalidInput('`auth.type` must be basic, bearer or header')
  }
}

function withQuery(url: string, query: InputObject | undefined): string {
  if (!query) return url
  if (!URL.canParse(url)) throw invalidInput('`url` cannot be parsed')
  const parsed = new URL(url)
  for (const [name, value] of Object.entries(query)) {
    if (value === null) continue
    for (const item of Array.isArray(value) ? value : [value]) {
      parsed.searchParams.append(name, scalar(item, 'a query parameter'))
    }
  }
  return parsed.href
}

function readBody(body: unknown, method: string, headers: Record<string, string>): string | undefined {
  if (body === undefined) return undefined
  if (method === 'GET' || method === 'HEAD') throw invalidInput(`\`body\` cannot go with ${method}`)
  if (typeof body === 'string') {
    headers['content-type'] ??= 'text/plain; charset=utf-8'
    return body
  }
  headers['content-type'] ??= 'application/json'
  return JSON.stringify(body)
}

function readExpect(expect: unknown): (status: number) => boolean {
  if (expect === undefined) return (status) => status >= 200 && status < 300
  const list = Array.isArray(expect) ? expect : [expect]
  if (list.length === 0) throw invalidInput('`expect` must not be empty')
  const patterns = list.map((item) => {
    const text = typeof item === 'number' ? String(item) : typeof item === 'string' ? item.toLowerCase() : ''
    if (!/^[1-5](\d\d|xx)$/.test(text)) throw invalidInput('`expect` holds statuses such as 200 or "2xx"')
    return text
  })
  return (status) => patterns.some((p) => (p.endsWith('xx') ? p[0] === String(status)[0] : p === String(status)))
}
