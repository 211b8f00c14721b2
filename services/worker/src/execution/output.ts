import { invalidOutput } from './execution-failure.js'
import type { Mask } from './masking.js'

export const maxOutputBytes = 8 * 1024 * 1024

/** The output as JSON text with secrets hidden. What JSON cannot carry is class `validation`, whatever it throws. */
export function serialiseOutput(output: unknown, mask: Mask): string {
  const text = masked(stringify(output), mask)
  if (isOver(text)) throw invalidOutput(`The output is larger than ${maxOutputBytes} bytes; keep it as an artifact`)
  return text
}

function stringify(output: unknown): string {
  if (output === undefined || output === null) return 'null'
  try {
    return JSON.stringify(output) ?? 'null'
  } catch (error) {
    throw invalidOutput('The output cannot be written as JSON', error)
  }
}

function masked(text: string, mask: Mask): string {
  if (mask.isEmpty || isOver(text)) return text
  try {
    return JSON.stringify(mask.json(JSON.parse(text)))
  } catch (error) {
    throw invalidOutput('The output is nested too deeply', error)
  }
}

/** UTF-8 takes one to three bytes for each UTF-16 unit: only texts in between need counting. */
function isOver(text: string): boolean {
  if (text.length > maxOutputBytes) return true
  return text.length * 3 > maxOutputBytes && Buffer.byteLength(text) > maxOutputBytes
}
