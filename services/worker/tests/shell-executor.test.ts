import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { text as readAll } from 'node:stream/consumers'
import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readShellCall } from '../src/executors/shell/read-shell-call.js'
import { openHarness, startHarness } from './harness.js'
import { outcomeOf } from './outcome.js'

let harness: Awaited<ReturnType<typeof openHarness>>
let folder = ''
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-shell-test-'))
  // Commands run as somebody else.
  chmodSync(folder, 0o777)
  process.env.MILLRACE_PLANTED = 'planted-in-the-environment'
  harness = await openHarness()
})
afterAll(async () => {
  await harness.close()
  delete process.env.MILLRACE_PLANTED
  rmSync(folder, { recursive: true })
})

const sh = (command: string, more: object = {}, lease: object = {}) =>
  outcomeOf(harness, 'shell', { command, ...more }, lease)
const attempts = () => readdirSync(tmpdir()).filter((name) => name.startsWith(`millrace-shell-${process.pid}-`))
const isAlive = (pid: number) => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

describe('a command', () => {
  it('answers its exit code and the ends of its output', async () => {
    const { output } = await sh('echo out; echo err >&2')
    expect(output).toEqual({ exitCode: 0, stdout: 'out\n', stderr: 'err\n' })
  })

  it('may be a program and its arguments, which no shell reads', async () => {
    const { output } = await outcomeOf(harness, 'shell', { args: ['echo', '$HOME; ls', 7] })
    expect(output?.stdout).toBe('$HOME; ls 7\n')
  })

  it('is in no list of processes, and what it starts does not inherit it', async () => {
    const inherited = 'if [ -e /proc/self/fd/3 ]; then echo inherited; else echo closed; fi'
    const text = [': written-in-the-text', "tr '\\0' ' ' < /proc/$$/cmdline", 'echo', inherited]
    const [shown = '', third] = String((await sh(text.join('\n'))).output?.stdout).split('\n')
    expect(shown).toContain('/bin/sh -c')
    expect(shown).not.toContain('written-in-the-text')
    expect(third).toBe('closed')
  })

  it('may be as long as a definition, and reads its arguments and lines as a script does', async () => {
    const long = `: ${'x'.repeat(300_000)}\n`
    const { output } = await sh(`${long}echo "$0 $#"; cat <<'E'\n$HOME "\nE\n`)
    expect(output).toEqual({ exitCode: 0, stdout: '/bin/sh 0\n$HOME "\n', stderr: '' })
    expect((await sh('true\nfalse || exit 4')).error?.message).toBe('The command exited with 4')
    expect((await sh('true\nno-such-program-here')).error?.message).toMatch(/: 2: |line 2/)
    expect((await sh('if')).error).toMatchObject({ class: 'user', code: 'command_failed' })
  })

  it('does not begin when its text was cut off or cannot be read', async () => {
    const { file, args, script = '' } = readShellCall({ command: 'echo begun; echo ended' })
    const run = async (text: string) => {
      const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'ignore', 'pipe'] })
      const given = child.stdio[3] as Writable
      given.on('error', () => undefined)
      given.end(text)
      const [[code], said] = await Promise.all([once(child, 'exit'), readAll(child.stdout as Readable)])
      return { code, said }
    }
    expect(await run(script)).toEqual({ code: 0, said: 'begun\nended\n' })
    expect(await run(script.slice(0, 12))).toEqual({ code: 126, said: '' })
    expect(await run('')).toEqual({ code: 126, said: '' })
  })

  it('reads stdin, and may leave it unread', async () => {
    expect((await sh('cat', { stdin: 'given\n' })).output?.stdout).toBe('given\n')
    expect((await sh('exit 0', { stdin: 'x'.repeat(1_000_000) })).output?.exitCode).toBe(0)
  })

  it('sees its own environment and nothing of the worker', async () => {
    const { output } = await sh('env', { env: { GIVEN: 'yes', N: 3, LEFT: null } })
    const names = String(output?.stdout)
      .trim()
      .split('\n')
      .map((line) => line.split('=')[0])
    expect(names.filter((name) => !['PWD', 'SHLVL', '_', 'OLDPWD'].includes(name ?? '')).sort()).toEqual(
      ['GIVEN', 'HOME', 'LANG', 'N', 'PATH', 'TASK_SCOPE', 'TMPDIR'].sort(),
    )
    expect(JSON.stringify(output)).not.toContain('planted-in-the-environment')
  })

  it('works in an empty folder of its own, which is gone afterwards', async () => {
    const { output } = await sh('pwd; ls -A; echo x > left; mkdir deep; echo y > deep/file')
    const path = String(output?.stdout).trim()
    expect(path).toContain(`millrace-shell-${process.pid}-`)
    await waitFor(() => !existsSync(path))
  })

  it('logs line by line, with stream and level, between start and end', async () => {
    const { lines } = await sh('echo one; echo two; echo bad >&2; printf last')
    const seen = lines.map(({ stream, level, message }) => `${stream} ${level} ${message}`)
    expect(seen[0]).toBe('system info attempt 1 started')
    expect(seen.at(-1)).toMatch(/^system info attempt 1 succeeded/)
    expect(seen.slice(1, -1).sort()).toEqual([
      ...['stderr warn bad', 'stdout info last', 'stdout info one', 'stdout info two'],
      'system info the command exited with 0',
    ])
    expect(seen.indexOf('stdout info one')).toBeLessThan(seen.indexOf('stdout info two'))
  })

  it('is logged while it runs', async () => {
    const gate = join(folder, 'go')
    const [id] = harness.dispatch.enqueue({
      uses: 'shell',
      inputJson: JSON.stringify({ command: `echo early; while [ ! -e ${gate} ]; do sleep 0.05; done` }),
    })
    await waitFor(() => harness.logs.of(id).some(({ message }) => message === 'early'))
    expect(harness.dispatch.result(id)).toBeUndefined()
    writeFileSync(gate, '')
    await waitFor(() => harness.dispatch.result(id))
  })

  it('is hidden where it prints a secret, also across the cuts of a long line', async () => {
    const secret = 'hunter2-hunter2-hunter2'
    const command = 'echo "a $S b"; printf "%032760d$S" 0; head -c 400000 /dev/zero | tr "\\0" x; printf "$S"; exit 3'
    const { error, lines } = await sh(command, { env: { S: secret } }, { secrets: [secret] })
    const shown = JSON.stringify([error, lines.map(({ message }) => message)])
    expect(lines.map(({ message }) => message)).toContain('a *** b')
    for (const part of [secret, 'hunter2']) expect(shown.includes(part)).toBe(false)
  })
})

describe('output without end', () => {
  it('keeps a tail, logs a part, and lets the command finish', async () => {
    const { output, lines } = await sh(
      'yes 0123456789012345678901234567890123456789 | head -c 20000000; echo; echo end',
    )
    expect(String(output?.stdout).length).toBeLessThanOrEqual(64 * 1024 + 1)
    expect(output?.stdout).toMatch(/^…[\s\S]*end\n$/)
    expect(lines.some(({ message }) => message.includes('is not logged'))).toBe(true)
  })
})

describe('failure', () => {
  it('an exit code other than 0 is class user, with the end of what it said', async () => {
    const { error } = await sh('echo because >&2; exit 7')
    expect(error).toMatchObject({ class: 'user', code: 'command_failed', retryable: true })
    expect(error?.message).toBe('The command exited with 7: because')
  })

  it('a signal is told', async () => {
    expect((await sh('kill -9 $$')).error).toMatchObject({ class: 'user', code: 'command_killed' })
  })

  it('a program that is not there is not tried again', async () => {
    const { error } = await outcomeOf(harness, 'shell', { args: ['/no/such/program'] })
    expect(error).toMatchObject({ class: 'non_retryable', code: 'command_not_found', retryable: false })
  })

  it.each([
    [{}],
    [{ command: 'x', args: ['y'] }],
    [{ args: [] }],
    [{ args: [{}] }],
    [{ command: 'a\0b' }],
    [{ command: 'x', env: { 'a b': 1 } }],
    [{ command: 'x', env: { A: {} } }],
    [{ command: 'x', outputs: ['../x'] }],
    [{ command: 'x', inputs: { 'a/b': 'c' } }],
    [{ command: 'x', inputs: { a: 'not an id' } }],
  ])('%j is refused, class validation', async (input) => {
    expect((await outcomeOf(harness, 'shell', input)).error).toMatchObject({ class: 'validation' })
  })

  it('files need an artifact service', async () => {
    const { error } = await sh('echo x > y', { outputs: ['y'] })
    expect(error).toMatchObject({ class: 'non_retryable', code: 'artifacts_unavailable' })
  })

  it('off, it fails for good', async () => {
    const off = await startHarness({ shell: { enabled: false } })
    const { error } = await outcomeOf(off, 'shell', { command: 'echo x' })
    expect(error).toMatchObject({ class: 'non_retryable', code: 'shell_disabled', retryable: false })
  })
})

describe('what is stopped', () => {
  const family = (file: string) =>
    `trap '' TERM; (trap '' TERM; echo $$ >> ${file}; sh -c 'echo $$ >> ${file}; exec sleep 300') & ` +
    `setsid sh -c 'echo $$ >> ${file}; exec sleep 300' & echo $$ >> ${file}; while :; do sleep 0.1; done`
  const pidsIn = (file: string) =>
    existsSync(file)
      ? [...new Set(readFileSync(file, 'utf8').trim().split('\n').map(Number))].filter((pid) => pid > 0)
      : []

  it.each(['cancel', 'timeout'])('by a %s ends with all its descendants, also deaf and detached ones', async (how) => {
    const file = join(folder, `pids-${how}`)
    const lease = how === 'timeout' ? { timeoutMs: 1_500 } : {}
    const input = JSON.stringify({ command: family(file) })
    const [id] = harness.dispatch.enqueue({ uses: 'shell', inputJson: input, ...lease })
    await waitFor(() => pidsIn(file).length === 3, { timeoutMs: 10_000 })
    const pids = pidsIn(file)
    if (how === 'cancel') harness.dispatch.cancel(id)
    await waitFor(() => harness.dispatch.result(id))
    expect(harness.dispatch.result(id)?.error?.class).toBe(how === 'cancel' ? 'cancelled' : 'timeout')
    await waitFor(() => pids.every((pid) => !isAlive(pid)), { timeoutMs: 10_000, what: `the end of ${pids}` })
    await waitFor(() => attempts().length === 0)
  })

  it('by its own end takes what it left in the background along', async () => {
    const file = join(folder, 'background')
    const { output } = await sh(`sleep 300 & echo $! > ${file}; echo done`)
    expect(output?.stdout).toBe('done\n')
    const pid = Number(readFileSync(file, 'utf8'))
    await waitFor(() => !isAlive(pid))
  })
})

it('clears what a killed worker left', async () => {
  const left = join(tmpdir(), 'millrace-shell-4194305-0123456789abcdef')
  mkdirSync(left, { recursive: true })
  const fresh = await startHarness()
  await outcomeOf(fresh, 'shell', { command: 'true' })
  expect(existsSync(left)).toBe(false)
})
