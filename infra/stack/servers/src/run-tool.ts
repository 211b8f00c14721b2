import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { ServerError } from './server-error.js'

export interface ToolOptions {
  cwd?: string
  env?: Record<string, string>
  /** Given on standard input. */
  input?: string
  /** What it is for, and what to do when the tool is not there. */
  purpose: string
}

const keptBytes = 4_000

/** Runs a build tool to its end; what it said last is in the error. */
export async function runTool(command: string, args: string[], options: ToolOptions): Promise<void> {
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  // A tool that ends without reading its input says why by itself.
  child.stdin.on('error', () => undefined)
  child.stdin.end(options.input)
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-keptBytes)
    })
  }
  const [code] = await (once(child, 'close') as Promise<[number | null]>).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    throw new ServerError(`${command} is not installed. It is needed ${options.purpose}.`)
  })
  if (code !== 0) throw new ServerError(`${command} failed (${code}) ${options.purpose}:\n${said.trim()}`)
}
