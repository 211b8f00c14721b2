import { type FieldError, unprocessable } from '@millrace/errors'

export const maxLabels = 32
export const maxLabelKey = 63
export const maxLabelValue = 256

/** Labels are read back by SQL, which cannot take apart text with NUL or half of a surrogate pair. */
export function checkLabels(labels: Record<string, string>): void {
  const errors: FieldError[] = []
  const entries = Object.entries(labels)
  if (entries.length > maxLabels)
    errors.push({ path: '/labels', code: 'too_many', message: `at most ${maxLabels} labels` })
  for (const [key, value] of entries) {
    const path = `/labels/${key.slice(0, maxLabelKey)}`
    if (key.length === 0 || key.length > maxLabelKey) {
      errors.push({ path, code: 'bad_name', message: `a label's name has 1 to ${maxLabelKey} characters` })
    } else if (typeof value !== 'string' || value.length > maxLabelValue) {
      errors.push({ path, code: 'too_long', message: `a label's value is text of at most ${maxLabelValue} characters` })
    } else if (!isPlain(key) || !isPlain(value)) {
      errors.push({ path, code: 'invalid_character', message: 'must be well-formed text without NUL' })
    }
  }
  if (errors.length > 0) throw unprocessable('invalid_labels', 'The labels are not valid.', errors)
}

const isPlain = (text: string): boolean => !text.includes('\0') && Buffer.from(text, 'utf8').toString('utf8') === text

/** `key=value`, the value may hold further equals signs. */
export function parseLabelFilter(text: string | undefined): Record<string, string> {
  if (text === undefined) return {}
  const at = text.indexOf('=')
  if (at > 0) return { [text.slice(0, at)]: text.slice(at + 1) }
  throw unprocessable('invalid_request', 'The request is not valid.', [
    { path: '/label', code: 'pattern', message: 'must be key=value' },
  ])
}
