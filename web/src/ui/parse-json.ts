export interface ParsedJson {
  value: unknown
  fault?: string
}

/** Empty text is null: a payload that was left out. */
export function parseJson(text: string): ParsedJson {
  if (text.trim() === '') return { value: null }
  try {
    return { value: JSON.parse(text) as unknown }
  } catch (error) {
    return {
      value: undefined,
      fault: error instanceof Error ? `This is no JSON: ${error.message}` : 'This is no JSON.',
    }
  }
}
