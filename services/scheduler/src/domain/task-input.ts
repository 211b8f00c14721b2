import { type Scope, type SecretPlace, secretText, type Template } from '@millrace/definition'
import type { EnginePlanTask } from './engine-plan.js'

/** An attempt's input, as JSON text that may be shown to anyone, and the places where secrets go on the way to a worker. */
export interface TaskInput {
  readonly input: string
  readonly secrets: readonly SecretPlace[]
}

/** How the input of a task is stored whose `with` names secrets; every other input is stored as it is. */
interface WithPlaces {
  readonly input: unknown
  readonly secrets: readonly SecretPlace[]
}

const none: readonly SecretPlace[] = []

const namesSecrets = (template: Template | undefined): boolean => (template?.references.secrets.length ?? 0) > 0

/** A map's items have a `with` of their own. */
const templateOf = (plan: EnginePlanTask | undefined, index: number): Template | undefined =>
  index >= 0 ? plan?.child?.with : plan?.with

export interface Replacement {
  /** JSON text to be stored. */
  readonly input: string
  readonly placesSecrets: boolean
}

/** The resolved `with` as JSON text to be stored. */
export function resolveInput(template: Template, scope: Scope): string {
  const { value, secrets } = template.resolve(scope)
  if (!namesSecrets(template)) return JSON.stringify(value ?? null)
  return stored({ input: value ?? null, secrets })
}

/**
 * Text that stands in for a resolved `with`. It places secrets as a definition does, but only those that the task's own
 * definition names: to place others, change the definition.
 */
export function replaceInput(plan: EnginePlanTask | undefined, index: number, text: string): Replacement {
  const template = templateOf(plan, index)
  if (!template || !namesSecrets(template)) return { input: text, placesSecrets: false }
  const input = JSON.parse(text) as unknown
  const secrets = findPlaces(input, template.references.secrets)
  return { input: stored({ input, secrets }), placesSecrets: secrets.length > 0 }
}

/** What was stored, read again. `null` stands for an attempt that has nothing of its own. */
export function readInput(plan: EnginePlanTask | undefined, index: number, text: string | null): TaskInput {
  if (text === null) {
    const fixed = index >= 0 ? plan?.child?.staticInput : plan?.staticInput
    return { input: fixed ?? 'null', secrets: none }
  }
  if (!namesSecrets(templateOf(plan, index))) return { input: text, secrets: none }
  const { input, secrets } = JSON.parse(text) as WithPlaces
  return { input: JSON.stringify(input), secrets }
}

const stored = (input: WithPlaces): string => JSON.stringify(input)

/** Whether a stored text may name secrets; only its plan says for sure. */
export const mayHavePlaces = (text: string): boolean => text.startsWith('{"input":')

function findPlaces(value: unknown, names: readonly string[], path: SecretPlace['path'] = []): SecretPlace[] {
  if (typeof value === 'string') return names.flatMap((name) => occurrences(value, secretText(name), path, name))
  if (Array.isArray(value)) return value.flatMap((item, index) => findPlaces(item, names, [...path, index]))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) => findPlaces(item, names, [...path, key]))
}

function occurrences(text: string, shown: string, path: SecretPlace['path'], name: string): SecretPlace[] {
  const places: SecretPlace[] = []
  for (let at = text.indexOf(shown); at >= 0; at = text.indexOf(shown, at + shown.length))
    places.push({ path, at, name })
  return places
}
