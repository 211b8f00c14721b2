import type { DeadLetter } from '../api/types'
import { groupBy } from '../ui/group-by'

export interface DeadLetterGroup {
  /** Of the workflow, task and error alone, so that a link to the group outlives its dead letters. */
  id: string
  workflow: string
  taskKey: string
  errorClass: string
  /** Of the newest. */
  message: string
  newestAt: string
  oldestAt: string
  deadLetters: DeadLetter[]
}

const changing = /[0-9a-f]{8}-[0-9a-f-]{27}|0x[0-9a-f]+|[0-9a-f]{16,}|\d+(?:\.\d+)?/gi
const comparedChars = 300

/** Ids, counts and times differ from one failure to the next; the error is the same. */
export const errorShape = (message: string): string => message.slice(0, comparedChars).replaceAll(changing, '…').trim()

/** FNV-1a: short enough for an address, and the same in every browser. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5
  for (const char of text) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193)
  return (hash >>> 0).toString(36)
}

export function groupIdOf({ workflow, taskKey, error }: Pick<DeadLetter, 'workflow' | 'taskKey' | 'error'>): string {
  return `${workflow}.${taskKey}.${hashOf(`${error?.class ?? ''} ${errorShape(error?.message ?? '')}`)}`
}

/** By workflow, task and error; the group with the newest first. */
export function groupDeadLetters(deadLetters: readonly DeadLetter[]): DeadLetterGroup[] {
  const groups = [...groupBy(deadLetters, groupIdOf)].flatMap(([id, members]): DeadLetterGroup[] => {
    const sorted = members.toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))
    const [newest] = sorted
    if (!newest) return []
    return [
      {
        id,
        workflow: newest.workflow,
        taskKey: newest.taskKey,
        errorClass: newest.error?.class ?? 'unknown',
        message: newest.error?.message ?? '',
        newestAt: newest.at,
        oldestAt: sorted.at(-1)?.at ?? newest.at,
        deadLetters: sorted,
      },
    ]
  })
  return groups.toSorted((a, b) => Date.parse(b.newestAt) - Date.parse(a.newestAt))
}
