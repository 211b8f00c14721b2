import { invalidInput } from '../../execution/execution-failure.js'

/** Within the attempt's folder itself: no path can lead out of it. */
export function plainFileName(name: string, where: string): string {
  const plain = name !== '' && name !== '.' && name !== '..' && !/[/\\\p{Cc}\p{Cs}]/u.test(name)
  if (plain && Buffer.byteLength(name) <= 255) return name
  throw invalidInput(`\`${where}\` takes plain file names`)
}
