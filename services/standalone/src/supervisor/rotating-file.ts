import { closeSync, openSync, renameSync, statSync, writeSync } from 'node:fs'

/** Appends to a file that never grows past its bound; one older generation is kept beside it. */
export class RotatingFile {
  private descriptor: number
  private size: number

  constructor(
    private readonly path: string,
    private readonly maxBytes = 10 * 1024 * 1024,
  ) {
    this.descriptor = openSync(path, 'a', 0o600)
    this.size = statSync(path).size
  }

  /** A full disk must not take the supervisor down with it: what cannot be logged is dropped. */
  write(chunk: Buffer): void {
    try {
      if (this.size > 0 && this.size + chunk.length > this.maxBytes) this.rotate()
      writeSync(this.descriptor, chunk)
      this.size += chunk.length
    } catch {}
  }

  private rotate(): void {
    closeSync(this.descriptor)
    renameSync(this.path, `${this.path}.1`)
    this.descriptor = openSync(this.path, 'a', 0o600)
    this.size = 0
  }

  close(): void {
    closeSync(this.descriptor)
  }
}
