import { RotatingFile } from './rotating-file.js'
import type { Terminal } from './terminal.js'

const repeatMs = 5_000
const worthShowing = /"level":"(?:error|fatal)"/

/** Keeps all that a child writes in its file and shows errors on the terminal, each at most once in five seconds. */
export class ChildLog {
  private readonly file: RotatingFile
  private readonly lastShown = new Map<string, number>()
  private rest = ''

  constructor(
    private readonly name: string,
    readonly path: string,
    private readonly terminal: Terminal,
  ) {
    this.file = new RotatingFile(path)
  }

  write(chunk: Buffer): void {
    this.file.write(chunk)
    const lines = (this.rest + chunk.toString('utf8')).split('\n')
    this.rest = (lines.pop() ?? '').slice(0, 64 * 1024)
    for (const line of lines) if (worthShowing.test(line)) this.show(line)
  }

  private show(line: string): void {
    const text = summarise(line)
    const now = Date.now()
    if (now - (this.lastShown.get(text) ?? 0) < repeatMs) return
    if (this.lastShown.size > 500) this.lastShown.clear()
    this.lastShown.set(text, now)
    this.terminal.error(`${this.name}: ${text}`)
  }
}

function summarise(line: string): string {
  try {
    const { service, msg, err } = JSON.parse(line) as { service?: string; msg?: string; err?: { message?: string } }
    const cause = err?.message && err.message !== msg ? ` (${err.message})` : ''
    return `${service ? `[${service}] ` : ''}${msg ?? ''}${cause}`.slice(0, 400)
  } catch {
    return line.slice(0, 400)
  }
}
