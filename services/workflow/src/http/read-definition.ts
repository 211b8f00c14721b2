import { type CheckedDefinition, checkDefinitionText, type Definition, type Graph } from '@millrace/definition'
import { malformed, unprocessable } from '@millrace/errors'
import type { RouteRequest } from '@millrace/http'

/** The body as a definition, with what is wrong with it. Only text that is no JSON at all is refused here. */
export async function checkDefinition(req: RouteRequest): Promise<CheckedDefinition> {
  const contentType = req.contentType === 'application/json' ? req.contentType : 'application/yaml'
  const checked = await checkDefinitionText(String(req.body), contentType, req.identity.projectId)
  if (checked.isMalformed) throw malformed('malformed_json', 'The request body is not valid JSON.')
  return checked
}

export interface ReadDefinition {
  definition: Definition
  graph: Graph
}

export async function readDefinition(req: RouteRequest, name?: string): Promise<ReadDefinition> {
  const { errors, definition, graph } = await checkDefinition(req)
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
