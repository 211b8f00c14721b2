export const limits = {
  definitionBytes: 1024 * 1024,
  definitionDepth: 100,
  tasks: 2_000,
  tagCount: 50,
  expressionBytes: 4 * 1024,
  comprehensions: 4,
  listItems: 10_000,
  mapItems: 10_000,
  resolvedBytes: 1024 * 1024,
  outputBytes: 8 * 1024 * 1024,
  inputBytes: 256 * 1024,
  inputSchemaBytes: 256 * 1024,
  inputSchemaDepth: 64,
  /** Subschemas after every $ref is followed: what one value may be checked against at most. */
  inputSchemaExpanded: 5_000,
  /** Evaluation steps of one template; about 0.3 µs to 1 µs each, so well under a second. */
  evaluationSteps: 1_000_000,
  aliasCount: 50,
  maxAttempts: 1_000,
} as const
