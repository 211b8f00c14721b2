import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { ExecutionFailure, invalidInput } from '../../execution/execution-failure.js'
import type { ExecutionContext } from '../executor.js'
import type { AttemptFolder } from './attempt-folder.js'
import { requireProgram } from './find-program.js'
import type { Isolation } from './isolation.js'
import { LineReader } from './line-reader.js'
import { killTree, killTreeNow, type ProcessMarks, scopeVariable } from './process-tree.js'
import { type ShellCall, scriptDescriptor } from './read-shell-call.js'
import { TextTail } from './text-tail.js'

export interface Ended {
  exitCode: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

const streams = ['pipe', 'pipe', 'pipe'] as const
type Child = ChildProcessByStdio<Writable, Readable, Readable>

const tailLength = 64 * 1024
/** Of the log alone: the command goes on, and the tails still hold its end. */
const maxLoggedLength = 8 * 1024 * 1024
const graceMs = 500
const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
/** A command that has ended may leave its output open in a process that nothing finds. */
const drainMs = 2_000

export async function runCommand(
  call: ShellCall,
  folder: AttemptFolder,
  isolation: Isolation,
  ctx: ExecutionContext,
): Promise<Ended> {
  ctx.signal.throwIfAborted()
  const child = await start(call, folder, isolation)
  const marks = marksOf(child, folder, isolation)
  const stop = stopper(marks, ctx.signal)
  const forgetRunning = endWithProcess(marks)
  const budget = { left: maxLoggedLength }
  const stdout = follow(child.stdout, 'stdout', ctx, budget)
  const stderr = follow(child.stderr, 'stderr', ctx, budget)
  give(child.stdin, call.stdin)
  if (call.script !== undefined) give(child.stdio[scriptDescriptor] as Writable, call.script)
  try {
    const closed = once(child, 'close')
    const [exitCode, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
    // What it left in the background ends with it.
    await killTree(marks, 'SIGKILL')
    await withinMs(closed, drainMs)
    return { exitCode, signal, stdout: stdout.end(), stderr: stderr.end() }
  } finally {
    stop.forget()
    forgetRunning()
    child.stdout.destroy()
    child.stderr.destroy()
  }
}

async function start(call: ShellCall, folder: AttemptFolder, { prefix }: Isolation): Promise<Child> {
  // Nothing of the worker's own environment: it holds keys to everything.
  const env = {
    ...{ PATH: defaultPath, LANG: 'C.UTF-8', HOME: folder.path, TMPDIR: folder.path },
    ...call.env,
    [scopeVariable]: folder.scope,
  }
  await requireProgram(call.file, env.PATH, folder.path)
  const [file = call.file, ...args] = [...prefix, call.file, ...call.args]
  const child = spawn(file, args, {
    ...{ cwd: folder.path, env, stdio: [...streams, ...(call.script === undefined ? [] : ['pipe' as const])] },
    // A group of its own, to be killed whole.
    detached: true,
    ...folder.user,
  })
  try {
    await once(child, 'spawn')
    return child
  } catch (error) {
    throw spawnFailure(error)
  }
}

/** It may end without having read all. */
function give(stream: Writable, text = ''): void {
  stream.on('error', () => undefined)
  stream.end(text)
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

function marksOf(child: Child, { scope, user }: AttemptFolder, { kind }: Isolation): ProcessMarks {
  return { groupId: child.pid, scope, user: kind === 'attempt-user' ? user : undefined }
}

const running = new Set<ProcessMarks>()
let heard = false

/** A worker that stops does not wait for commands that will not. */
function endWithProcess(marks: ProcessMarks): () => void {
  running.add(marks)
  if (!heard) {
    heard = true
    process.on('exit', () => {
      for (const one of running) killTreeNow(one)
    })
  }
  return () => running.delete(marks)
}

/** Asks first and then does not ask: nothing of a stopped attempt may go on. */
function stopper(marks: ProcessMarks, signal: AbortSignal): { forget(): void } {
  let timer: NodeJS.Timeout | undefined
  const stop = () => {
    void killTree(marks, 'SIGTERM')
    timer = setTimeout(() => void killTree(marks, 'SIGKILL'), graceMs)
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

const progressMark = '::progress'

/** A line by which a command says how far it is: `::progress 40 copying`, either part or both. */
function readProgress(line: string): { percent?: number; message: string } | undefined {
  if (!line.startsWith(progressMark)) return undefined
  const rest = line.slice(progressMark.length)
  const said = rest.trim()
  if (rest !== '' && rest.trimStart() === rest) return undefined
  const [word = ''] = said.split(/\s/, 1)
  const isPercent = /^\d{1,3}(?:\.\d{1,6})?%?$/.test(word)
  const message = (isPercent ? said.slice(word.length) : said).trim().slice(0, 500)
  return isPercent ? { percent: Number.parseFloat(word), message } : { message }
}

function logLine(line: string, stream: 'stdout' | 'stderr', ctx: ExecutionContext, budget: { left: number }): void {
  const said = stream === 'stdout' ? readProgress(line) : undefined
  if (said) ctx.progress(said.percent, said.message)
  if (budget.left <= 0 || said) return
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
