import type { FieldPath } from '../field-path.js'

/**
 * Where a secret belongs in a resolved `with`. Secrets are put in by place and never by what the text looks like: a value
 * that a run was given may well read `${{ secrets.name }}`, and must stay that text.
 */
export interface SecretPlace {
  /** Of the string, from the template's root. */
  path: FieldPath
  /** Where in the string `secretText(name)` begins, in UTF-16 units. */
  at: number
  name: string
}

/** What stands for a secret wherever its value does not belong. */
export const secretText = (name: string): string => `\${{ secrets.${name} }}`

/** Puts secrets into a value of which nobody else has a part; changes it. Throws when a place does not fit the value. */
export function fillSecrets(value: unknown, places: readonly SecretPlace[], read: (name: string) => string): unknown {
  const root = { value }
  for (const group of byPath(places)) {
    const path: FieldPath = ['value', ...(group[0]?.path ?? [])]
    const key = path.at(-1) ?? 'value'
    let parent: unknown = root
    for (const step of path.slice(0, -1)) parent = ownOf(parent, step)
    // Its own property, hence assigning cannot reach a prototype.
    const text = ownOf(parent, key)
    ;(parent as Record<string | number, unknown>)[key] = fillText(text, group, read)
  }
  return root.value
}

function byPath(places: readonly SecretPlace[]): Iterable<SecretPlace[]> {
  const groups = new Map<string, SecretPlace[]>()
  for (const place of places) {
    const key = JSON.stringify(place.path)
    const group = groups.get(key)
    if (group) group.push(place)
    else groups.set(key, [place])
  }
  return groups.values()
}

function ownOf(parent: unknown, key: string | number): unknown {
  if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, key)) throw misplaced()
  return (parent as Record<string | number, unknown>)[key]
}

function fillText(text: unknown, places: readonly SecretPlace[], read: (name: string) => string): string {
  if (typeof text !== 'string') throw misplaced()
  let filled = ''
  let from = 0
  for (const { at, name } of [...places].sort((a, b) => a.at - b.at)) {
    const shown = secretText(name)
    if (at < from || !text.startsWith(shown, at)) throw misplaced()
    filled += text.slice(from, at) + read(name)
    from = at + shown.length
  }
  return filled + text.slice(from)
}

const misplaced = (): Error => new Error('a secret belongs to no place of this value')
