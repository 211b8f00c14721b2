import { unprocessable } from '@millrace/errors'
import { commonPasswords, commonWords } from './common-passwords.js'

export const MIN_PASSWORD_LENGTH = 12

export type Weakness = 'too_short' | 'one_character' | 'common' | 'address'

const rows = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890123456789',
  'qwertyuiopasdfghjklzxcvbnm',
  '1q2w3e4r5t6y7u8i9o0p',
]

function isRun(text: string): boolean {
  const reversed = [...text].reverse().join('')
  return rows.some((row) => row.includes(text) || row.includes(reversed))
}

function isRepeatedWord(text: string): boolean {
  return commonWords.some((word) => text.length % word.length === 0 && text === word.repeat(text.length / word.length))
}

const withoutEdges = (text: string): string => text.replaceAll(/^[^a-z]+|(?<![^a-z])[^a-z]+$/g, '')

const withoutSubstitutions = (text: string): string =>
  text.replaceAll('0', 'o').replaceAll('@', 'a').replaceAll('$', 's').replaceAll('3', 'e').replaceAll('1', 'i')

/** `P@ssw0rd!2024` is still `password`: case, the usual substitutions and what surrounds the word add little. */
function isDecoratedWord(lower: string): boolean {
  const bare = withoutEdges(lower)
  const withoutEnd = lower.replace(/(?<![^a-z])[^a-z]+$/, '')
  const readings = [bare, withoutSubstitutions(bare), withoutSubstitutions(withoutEnd)]
  return readings.some((text) => text !== '' && (commonWords.includes(text) || isRepeatedWord(text)))
}

/** The address itself, or the part before the @, is the first thing that is tried. */
function isAddress(lower: string, email: string): boolean {
  return [email, email.split('@', 1)[0]].includes(lower.trim())
}

export function weaknessOf(password: string, email?: string): Weakness | undefined {
  const characters = [...password]
  if (characters.length < MIN_PASSWORD_LENGTH) return 'too_short'
  if (new Set(characters).size === 1) return 'one_character'
  const lower = password.toLowerCase()
  if (email !== undefined && isAddress(lower.normalize('NFKC'), email)) return 'address'
  if (commonPasswords.has(lower) || isRun(lower) || isDecoratedWord(lower)) return 'common'
  return undefined
}

const sentences: Record<Weakness, string> = {
  too_short: `must have at least ${MIN_PASSWORD_LENGTH} characters`,
  one_character: 'must not be one repeated character',
  common: 'is too common',
  address: 'must not be the email address',
}

export function assertStrongPassword(password: string, path: string, email: string): void {
  const weakness = weaknessOf(password, email)
  if (weakness === undefined) return
  throw unprocessable('weak_password', `The password ${sentences[weakness]}.`, [
    { path, code: weakness, message: sentences[weakness] },
  ])
}
