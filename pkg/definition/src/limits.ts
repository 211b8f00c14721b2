export const limits = {
  definitionBytes: 1024 * 1024,
  definitionDepth: 100,
  /** Keys and values of a definition. A task of ten fields has about thirty. */
  definitionNodes: 200_000,
  /** Of YAML: also ends of lines, spaces and comments. */
  definitionTokens: 500_000,
  /** What an answer tells at most. */
  errors: 100,
  tasks: 2_000,
  tagCount: 50,
  expressionBytes: 4 * 1024,
  /** Of all expressions that are compiled together, about 4 µs a character at most. */
  templateExpressionBytes: 32 * 1024,
  definitionExpressionBytes: 512 * 1024,
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
  /** Evaluation steps of one template; about 0.5 µs each, so at most a fifth of a second, and mostly far less. */
  evaluationSteps: 250_000,
  /** Steps of checking an input against its schema, 30 to 210 ns each where measured, in a thread of its own. */
  validationSteps: 20_000_000,
  /** What the event loop may do itself: 31 ms for three times as many steps of the slowest schema measured. */
  cheapValidationSteps: 50_000,
  /** Keywords of a schema that the event loop may compile, once a version. */
  cheapSchemaParts: 300,
  cheapPatternSize: 1_000,
  /** Instructions of all patterns of one schema. */
  schemaPatternSize: 20_000,
  patternLength: 1_000,
  /** Instructions of a compiled regular expression. */
  patternSize: 1_200,
  /** Places that may refer to an anchor, and how far they may multiply what they refer to. */
  aliases: 1_000,
  aliasCount: 50,
  maxAttempts: 1_000,
  /** To be found they are counted from the newest on: 100,000 entries of an index take about 20 ms. */
  retainedRuns: 100_000,
} as const
