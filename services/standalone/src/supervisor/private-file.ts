import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs'

/** Readable by its owner alone, and either whole or not there. */
export function writePrivateFile(file: string, text: string): void {
  const draft = `${file}.new`
  const descriptor = openSync(draft, 'w', 0o600)
  try {
    writeSync(descriptor, text)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(draft, file)
}
