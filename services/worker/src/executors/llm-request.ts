import { checkInputOffThread, checkSchemaOffThread } from '@millrace/definition/checks'
import type { FieldError } from '@millrace/errors'
import { invalidInput } from '../execution/execution-failure.js'
import { field, type InputObject, inputObject, optionalInteger, optionalString, requiredString } from './input.js'

export interface LlmCall {
  url: string
  apiKey: string | undefined
  model: string
  body: Record<string, unknown>
  /** Present when a schema was given. Paths are relative to the answer. */
  validate: AnswerSchema['validate'] | undefined
}

interface AnswerSchema {
  schema: unknown
  /** In a thread: the schema is a user's, and the answer may be 8 MiB of anything. */
  validate(json: unknown): Promise<FieldError[]>
}

/** `key`: whose task it is. */
export async function readLlmCall(raw: unknown, key: string): Promise<LlmCall> {
  const input = inputObject(raw)
  const messages = field(input, 'messages')
  if (!Array.isArray(messages) || messages.length === 0) throw invalidInput('`messages` must be a list, not empty')
  const model = requiredString(input, 'model')
  const schema = await readSchema(field(input, 'schema'), key)
  const maxTokens = optionalInteger(input, 'maxTokens', { min: 1, max: 10_000_000 })
  return {
    url: endpoint(requiredString(input, 'baseUrl')),
    apiKey: readKey(input),
    model,
    body: {
      model,
      messages,
      ...(field(input, 'temperature') === undefined ? {} : { temperature: readTemperature(input) }),
      ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
      ...(schema === undefined ? {} : { response_format: responseFormat(schema.schema) }),
    },
    validate: schema?.validate,
  }
}

function endpoint(baseUrl: string): string {
  if (!URL.canParse(baseUrl)) throw invalidInput('`baseUrl` cannot be parsed')
  const url = new URL(baseUrl)
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}/chat/completions`
  return url.href
}

function readKey(input: InputObject): string | undefined {
  const key = optionalString(input, 'apiKey')
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key))
    throw invalidInput('`apiKey` has characters that cannot be sent')
  return key
}

function readTemperature(input: InputObject): number {
  const value = field(input, 'temperature')
  if (typeof value === 'number' && value >= 0 && value <= 2) return value
  throw invalidInput('`temperature` must be a number from 0 to 2')
}

/** Not `strict`: that allows only a part of JSON Schema, and the answer is checked here all the same. */
const responseFormat = (schema: unknown) => ({
  type: 'json_schema',
  json_schema: { name: 'answer', schema, strict: false },
})

async function readSchema(schema: unknown, key: string): Promise<AnswerSchema | undefined> {
  if (schema === undefined) return undefined
  const [fault] = await checkSchemaOffThread(schema, key)
  if (fault) throw invalidInput(`\`schema\` is no JSON Schema: ${fault.path.slice(1)} ${fault.message}`)
  const relative = (error: FieldError) => ({ ...error, path: error.path.replace(/^\/input/, '') })
  return { schema, validate: async (json) => (await checkInputOffThread(schema, json, key)).map(relative) }
}
