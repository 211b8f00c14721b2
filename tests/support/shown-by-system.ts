import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'

export const processIds = (): string[] => readdirSync('/proc').filter((name) => /^\d+$/.test(name))

/** What every user of the machine could read while the tasks ran. */
export function watchArguments(): { end(): string } {
  const seen = new Set<string>()
  const look = () => {
    for (const pid of processIds()) seen.add(shownOf(pid, 'cmdline'))
  }
  const timer = setInterval(look, 50)
  return {
    end() {
      clearInterval(timer)
      return [...seen].join('\n')
    },
  }
}

export function shownOf(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1')
  } catch {
    return ''
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    // It was removed meanwhile.
    return []
  }
}

export function filesUnder(folder: string): string[] {
  return entriesOf(folder).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return filesUnder(path)
    return entry.isFile() ? [path] : []
  })
}

const PIECE_BYTES = 16 * 1024 * 1024

/** Which of the texts a file holds. It may be larger than memory, may grow meanwhile, and may go. */
export function textsInFile(path: string, texts: readonly string[]): string[] {
  const found = new Set<string>()
  const overlap = Math.max(...texts.map((text) => Buffer.byteLength(text))) - 1
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    return []
  }
  try {
    const piece = Buffer.alloc(PIECE_BYTES)
    for (let at = 0; ; at += PIECE_BYTES - overlap) {
      const read = readSync(file, piece, 0, PIECE_BYTES, at)
      const bytes = piece.subarray(0, read)
      for (const text of texts) if (bytes.includes(text)) found.add(text)
      if (read < PIECE_BYTES) return [...found]
    }
  } finally {
    closeSync(file)
  }
}

/** Of a folder that others write to as well. */
export function filesChangedSince(folder: string, time: number): string[] {
  return filesUnder(folder).filter((path) => {
    try {
      return statSync(path).mtimeMs >= time
    } catch {
      return false
    }
  })
}
