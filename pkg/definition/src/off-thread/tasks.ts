import type { FieldError } from '@millrace/errors'
import type { Definition, Graph } from '../definition.js'
import type { DefinitionContentType } from '../parse.js'

/** What a thread is asked to do. */
export type CheckTask =
  | { kind: 'warm-up' }
  | { kind: 'check-text'; text: string; contentType: DefinitionContentType }
  | { kind: 'check-value'; value: unknown }
  | { kind: 'check-schema'; schema: unknown }
  | { kind: 'check-input'; schema: unknown; input: unknown }

export interface CheckedDefinition {
  /** At most a hundred. */
  errors: FieldError[]
  /** The text is not JSON at all, although it says so. */
  isMalformed: boolean
  definition?: Definition
  graph?: Graph
}
