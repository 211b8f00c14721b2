export type ServiceName = 'iam' | 'workflow' | 'metadata' | 'notification' | 'artifact'
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Access = 'open' | 'user' | 'viewer' | 'operator' | 'editor' | 'owner' | 'admin'
export type StreamKind = 'sse' | 'ndjson' | 'binary'

/** A JSON Schema 2020-12 (sub)document. `x-user-json: true` marks a place whose content is the user's own JSON. */
export type JsonSchema = { readonly [keyword: string]: unknown }

export interface RouteBody {
  readonly schema?: JsonSchema
  /** Default: application/json alone. Bodies of other types reach the handler as text, or as a Buffer when not textual. */
  readonly contentTypes?: readonly string[]
  readonly maxBytes?: number
  /** Default true. */
  readonly required?: boolean
  /** Not parsed and not limited by the JSON rule: the handler reads the raw request. */
  readonly binary?: boolean
}

export interface RouteResponse {
  readonly description: string
  readonly schema?: JsonSchema
  /** Default application/json, or the type of the route's stream. */
  readonly contentType?: string
}

export interface Route {
  readonly operationId: string
  readonly service: ServiceName
  readonly method: Method
  /** `{name}` is one segment; a final `{name+}` takes the rest, which may be empty. */
  readonly path: string
  readonly access: Access
  /** A machine of role `worker` is let in too; the handler then checks what it may touch. */
  readonly workers?: boolean
  /** The path parameter that names the project whose role counts, where it is not the caller's current project. */
  readonly projectParam?: string
  /** A platform administrator is let in too, member or not; the identity then has the slug of the path and no project id. */
  readonly admins?: boolean
  readonly summary: string
  readonly tag: string
  /** A parameter that is not among these is refused, except where `anyQuery` says otherwise. */
  readonly query?: Readonly<Record<string, JsonSchema>>
  readonly requiredQuery?: readonly string[]
  /** The query is not ours: whoever sends it adds what they like, or a signature covers it. */
  readonly anyQuery?: boolean
  readonly body?: RouteBody
  /** Honours Idempotency-Key. */
  readonly idempotent?: boolean
  /** Takes limit and cursor, answers `{items, nextCursor}`. */
  readonly list?: boolean
  /** Statuses of problems beyond those that follow from the rest, for the document. */
  readonly problems?: readonly number[]
  readonly responses: Readonly<Record<number, RouteResponse>>
  readonly stream?: StreamKind
}

export interface RouteMatch {
  readonly route: Route
  readonly params: Record<string, string>
}
