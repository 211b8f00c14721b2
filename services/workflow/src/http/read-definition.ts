import { type Definition, type Graph, parseDefinition, validateDefinition } from '@millrace/definition'
import { type FieldError, malformed, unprocessable } from '@millrace/errors'
import type { RouteRequest } from '@millrace/http'

export interface Verdict {
  errors: FieldError[]
  definition?: Definition
  graph?: Graph
}

/** The body as a definition, with everything that is wrong with it. Only text that is no JSON at all is refused here. */
export function checkDefinition(req: RouteRequest): Verdict {
  const isJson = req.contentType === 'application/json'
  const parsed = parseDefinition(String(req.body), isJson ? 'application/json' : 'application/yaml')
  if (parsed.value === undefined) {
    if (isJson && parsed.errors.some((error) => error.code === 'malformed')) {
      throw malformed('malformed_json', 'The request body is not valid JSON.')
    }
    return { errors: parsed.errors }
  }
  const { errors, definition, graph } = validateDefinition(parsed.value, { positions: parsed.positions })
  const all = [...parsed.errors, ...errors]
  return {
    errors: all,
    ...(graph === undefined ? {} : { graph }),
    ...(definition === undefined || all.length > 0 ? {} : { definition }),
  }
}

export interface ReadDefinition {
  definition: Definition
  graph: Graph
}

export function readDefinition(req: RouteRequest, name?: string): ReadDefinition {
  const { errors, definition, graph } = checkDefinition(req)
  if (definition === undefined || graph === undefined) {
    throw unprocessable('invalid_definition', 'The definition is not valid.', errors)
  }
  if (name !== undefined && definition.name !== name) {
    throw unprocessable('name_mismatch', 'The definition has another name than the address.', [
      { path: '/name', code: 'name_mismatch', message: `must be ${name}` },
    ])
  }
  return { definition, graph }
}
