import { unprocessable } from '@millrace/errors'

const namePattern = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/
const maxValueBytes = 64 * 1024

export const isSecretName = (name: string): boolean => namePattern.test(name)

export function assertSecretName(name: string): void {
  if (isSecretName(name)) return
  throw unprocessable('invalid_secret_name', 'A secret is named by 1 to 63 letters, digits or _, not a digit first.', [
    { path: '/name', code: 'pattern', message: `must match ${namePattern.source}` },
  ])
}

/** Counted in bytes as it will be stored; half of a surrogate pair has no bytes of its own. */
export function assertSecretValue(value: string): void {
  if (Buffer.byteLength(value) > maxValueBytes) {
    throw refusal('too_large', `must be at most ${maxValueBytes} bytes of UTF-8`)
  }
  if (Buffer.from(value).toString() !== value) throw refusal('not_text', 'must be text that UTF-8 can carry')
}

const refusal = (code: string, message: string) =>
  unprocessable('invalid_secret_value', `The value ${message}.`, [{ path: '/value', code, message }])
