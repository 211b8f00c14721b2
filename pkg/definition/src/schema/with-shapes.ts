import { errorClasses } from '../error-class.js'
import { limits } from '../limits.js'

type Schema = Record<string, unknown>

/** A field of `with` may always be one expression in place of its value. */
const orExpression = (schema: Schema): Schema => ({ anyOf: [schema, { $ref: '#/$defs/expression' }] })

const text = { type: 'string' }
const count = (minimum: number, maximum?: number): Schema =>
  orExpression({ type: 'integer', minimum, ...(maximum === undefined ? {} : { maximum }) })
const texts = { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean', 'null'] } }

function shape(properties: Record<string, unknown>, required: string[] = [], more: Schema = {}): Schema {
  return { type: 'object', properties, required, additionalProperties: false, ...more }
}

const fileName = { type: 'string', pattern: '^[^/\\\\]{1,255}$' }
const recipients = { anyOf: [text, { type: 'array', minItems: 1, maxItems: 100, items: text }] }

/** What each built-in takes. Anything else in `uses` is a worker's function, whose `with` only it knows. */
export const withShapes: Record<string, Schema> = {
  noop: shape({ output: true }),
  fail: shape({
    times: count(0),
    class: orExpression({ type: 'string', enum: [...errorClasses] }),
    message: text,
  }),
  sleep: shape({ duration: orExpression({ $ref: '#/$defs/duration' }) }, ['duration']),
  transform: shape({ value: true }, ['value']),
  http: shape(
    {
      method: orExpression({ type: 'string', enum: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] }),
      url: { type: 'string', minLength: 1 },
      headers: orExpression(texts),
      query: orExpression({ type: 'object' }),
      body: true,
      auth: orExpression({ type: 'object' }),
      expect: orExpression({
        type: 'array',
        minItems: 1,
        items: {
          anyOf: [
            { type: 'string', pattern: '^[1-5](xx|[0-9]{2})$' },
            { type: 'integer', minimum: 100, maximum: 599 },
          ],
        },
      }),
      maxResponseBytes: count(1),
    },
    ['url'],
  ),
  shell: shape(
    {
      command: text,
      args: orExpression({ type: 'array', minItems: 1, items: text }),
      env: orExpression(texts),
      stdin: text,
      inputs: orExpression({ type: ['object', 'array'], maxProperties: 100, maxItems: limits.mapItems }),
      outputs: orExpression({ type: 'array', maxItems: 100, items: fileName }),
    },
    [],
    { oneOf: [{ required: ['command'] }, { required: ['args'] }] },
  ),
  sql: shape({ connection: text, query: text, params: orExpression({ type: 'array' }) }, ['connection', 'query']),
  email: shape({ to: recipients, subject: text, text, html: text }, ['to', 'subject']),
  webhook: shape({ url: { type: 'string', minLength: 1 }, payload: true, secret: text }, ['url', 'payload']),
  llm: shape(
    {
      baseUrl: { type: 'string', minLength: 1 },
      apiKey: text,
      model: text,
      messages: orExpression({ type: 'array', minItems: 1, items: { type: 'object' } }),
      schema: orExpression({ type: ['object', 'boolean'] }),
      temperature: orExpression({ type: 'number', minimum: 0, maximum: 2 }),
      maxTokens: count(1),
    },
    ['baseUrl', 'model', 'messages'],
  ),
  approval: shape({ role: orExpression({ enum: ['viewer', 'operator', 'editor', 'owner'] }), message: text }),
  signal: shape({ name: { type: 'string', minLength: 1 } }, ['name']),
  workflow: shape({ name: { type: 'string', minLength: 1 }, version: count(1), input: true }, ['name']),
  map: shape(
    {
      items: orExpression({ type: 'array', maxItems: limits.mapItems }),
      maxParallel: count(1, limits.mapItems),
      task: { $ref: '#/$defs/mapTask' },
    },
    ['items', 'task'],
  ),
}

export const builtIns: ReadonlySet<string> = new Set(Object.keys(withShapes))

/** Built-ins that cannot do without their `with`. */
export const needsWith: readonly string[] = Object.entries(withShapes)
  .filter(([uses, schema]) => uses === 'shell' || (schema.required as string[]).length > 0)
  .map(([uses]) => uses)
