import type { FieldError } from '@millrace/errors'
import type { Definition, Graph } from '../definition.js'
import type { DefinitionContentType } from '../parse.js'

/** What a thread is asked to do. */
export type CheckTask =
  | { kind: 'warm-up' }
  | { kind: 'check-text'; text: string; contentType: DefinitionContentType }
  | { kind: 'check-value'; value: unknown }
  | { kind: 'check-schema'; schema: unknown }
  /** CEL over `variables`, or only a check of it when they are absent. */
  | { kind: 'evaluate'; expression: string; names: string[]; variables?: Record<string, unknown>; maxBytes: number }
  | { kind: 'check-input'; schema: unknown; input: unknown }

export type Evaluated = { value: unknown } | { problem: { code: string; message: string } }

export interface CheckedDefinition {
  /** At most a hundred. */
  errors: FieldError[]
  /** The text is not JSON at all, although it says so. */
  isMalformed: boolean
  definition?: Definition
  graph?: Graph
}
