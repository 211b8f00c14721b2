import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { ExecutionFailure, invalidInput } from '../../execution/execution-failure.js'
import type { ExecutionContext } from '../executor.js'
import type { AttemptFolder, ShellUser } from './attempt-folder.js'
import { LineReader } from './line-reader.js'
import { killTree, scopeVariable } from './process-tree.js'
import type { ShellCall } from './read-shell-call.js'
import { TextTail } from './text-tail.js'

export interface Ended {
  exitCode: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>

const tailLength = 64 * 1024
/** Of the log alone: the command goes on, and the tails still hold its end. */
const maxLoggedLength = 8 * 1024 * 1024
const graceMs = 500
/** A command that has ended may leave its output open in a process that nothing finds. */
const drainMs = 2_000

export async function runCommand(
  call: ShellCall,
  folder: AttemptFolder,
  user: ShellUser | undefined,
  ctx: ExecutionContext,
): Promise<Ended> {
  ctx.signal.throwIfAborted()
  const child = await start(call, folder, user)
  const stop = stopper(child, folder, ctx.signal)
  const forgetRunning = endWithProcess(child, folder)
  const budget = { left: maxLoggedLength }
  const stdout = follow(child.stdout, 'stdout', ctx, budget)
  const stderr = follow(child.stderr, 'stderr', ctx, budget)
  child.stdin.on('error', () => undefined)
  child.stdin.end(call.stdin ?? '')
  try {
    const closed = once(child, 'close')
    const [exitCode, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
    // What it left in the background ends with it.
    killTree(child.pid, folder.scope, 'SIGKILL')
    await withinMs(closed, drainMs)
    return { exitCode, signal, stdout: stdout.end(), stderr: stderr.end() }
  } finally {
    stop.forget()
    forgetRunning()
    child.stdout.destroy()
    child.stderr.destroy()
  }
}

async function start(call: ShellCall, folder: AttemptFolder, user: ShellUser | undefined): Promise<Child> {
  const child = spawn(call.file, call.args, {
    cwd: folder.path,
    // Nothing of the worker's own environment: it holds keys to everything.
    env: {
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      LANG: 'C.UTF-8',
      HOME: folder.path,
      TMPDIR: folder.path,
      ...call.env,
      [scopeVariable]: folder.scope,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
    // A group of its own, to be killed whole.
    detached: true,
    ...(user ?? {}),
  })
  try {
    await once(child, 'spawn')
    return child
  } catch (error) {
    throw spawnFailure(error)
  }
}

function spawnFailure(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'E2BIG') return invalidInput('the command and its environment are too long')
  if (code === 'ENOENT' || code === 'EACCES' || code === 'ENOEXEC') {
    const message = `The program cannot be started: ${code}`
    return new ExecutionFailure(message, { class: 'non_retryable', code: 'command_not_found', cause: error })
  }
  return error
}

const running = new Map<Child, string>()
let heard = false

/** A worker that stops does not wait for commands that will not. */
function endWithProcess(child: Child, { scope }: AttemptFolder): () => void {
  running.set(child, scope)
  if (!heard) {
    heard = true
    process.on('exit', () => {
      for (const [one, itsScope] of running) killTree(one.pid, itsScope, 'SIGKILL')
    })
  }
  return () => running.delete(child)
}

/** Asks first and then does not ask: nothing of a stopped attempt may go on. */
function stopper(child: Child, { scope }: AttemptFolder, signal: AbortSignal): { forget(): void } {
  let timer: NodeJS.Timeout | undefined
  const stop = () => {
    killTree(child.pid, scope, 'SIGTERM')
    timer = setTimeout(() => killTree(child.pid, scope, 'SIGKILL'), graceMs)
  }
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  return {
    forget() {
      signal.removeEventListener('abort', stop)
      clearTimeout(timer)
    },
  }
}

function follow(
  stream: Readable,
  name: 'stdout' | 'stderr',
  ctx: ExecutionContext,
  budget: { left: number },
): { end(): string } {
  const decoder = new StringDecoder('utf8')
  const tail = new TextTail(tailLength)
  const lines = new LineReader((line) => logLine(line, name, ctx, budget), ctx.hide)
  const push = (text: string) => {
    tail.push(text)
    if (budget.left > 0) lines.push(text)
  }
  stream.on('data', (chunk: Buffer) => push(decoder.write(chunk)))
  stream.on('error', () => undefined)
  return {
    end() {
      push(decoder.end())
      if (budget.left > 0) lines.end()
      return tail.text(ctx.hide)
    },
  }
}

function logLine(line: string, stream: 'stdout' | 'stderr', ctx: ExecutionContext, budget: { left: number }): void {
  if (budget.left <= 0) return
  ctx.log(stream === 'stdout' ? 'info' : 'warn', stream, line)
  budget.left -= line.length + 64
  if (budget.left <= 0) ctx.log('warn', 'system', 'the command writes too much: the rest of its output is not logged')
}

async function withinMs(done: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([done, late])
  clearTimeout(timer)
}
