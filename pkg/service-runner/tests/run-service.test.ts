import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { waitFor } from '@millrace/testkit'
import { expect, onTestFinished, test } from 'vitest'

const script = fileURLToPath(new URL('./service-process.mjs', import.meta.url))

interface Run {
  child: ChildProcess
  said: string
  logged: string
  exitCode: Promise<number | null>
}

function run(env: Record<string, string>): Run {
  const child = fork(script, { env: { PATH: process.env.PATH, ...env }, silent: true })
  onTestFinished(() => void child.kill('SIGKILL'))
  // Not the child's own `close`: it does not come once the channel was closed from this side.
  const outputEnd = [child.stdout, child.stderr].map((stream) => stream && once(stream, 'end'))
  const exitCode = Promise.all([once(child, 'exit'), ...outputEnd]).then(([[code]]) => code as number | null)
  const started: Run = { child, said: '', logged: '', exitCode }
  child.stdout?.on('data', (chunk) => {
    started.said += String(chunk)
  })
  child.stderr?.on('data', (chunk) => {
    started.logged += String(chunk)
  })
  return started
}

test('bad configuration: every fault, exit 1, nothing started', async () => {
  const sample = run({ FAULT: 'yes' })
  expect(await sample.exitCode).toBe(1)
  expect(sample.logged).toMatch(/ONE is wrong[\s\S]*TWO is missing/)
  expect(sample.said).toBe('')
})

test('a start that fails is told, exit 1', async () => {
  const sample = run({ MODE: 'broken' })
  expect(await sample.exitCode).toBe(1)
  expect(sample.logged).toContain('no ground to stand on')
})

test('a signal stops the service once, however many come, exit 0', async () => {
  const sample = run({ MODE: '' })
  await waitFor(() => sample.logged.includes('sample is ready'))
  expect(sample.logged).toContain('"httpPort":4321')
  sample.child.kill('SIGTERM')
  await waitFor(() => sample.said.includes('stopping'))
  sample.child.kill('SIGTERM')
  sample.child.kill('SIGINT')
  expect(await sample.exitCode).toBe(0)
  expect(sample.said).toBe('starting\nstarted\nstopping undefined\nstopped\n')
})

test('a signal in the middle of a start stops it, exit 0', async () => {
  const sample = run({ MODE: 'slow' })
  await waitFor(() => sample.said.includes('starting'))
  sample.child.kill('SIGINT')
  expect(await sample.exitCode).toBe(0)
  expect(sample.said).toContain('stopped')
})

test('a stop that fails is told, exit 1', async () => {
  const sample = run({ MODE: 'stubborn' })
  await waitFor(() => sample.said.includes('started'))
  sample.child.kill('SIGTERM')
  expect(await sample.exitCode).toBe(1)
  expect(sample.logged).toContain('cannot let go')
})

test('a service may end its process itself, exit 0', async () => {
  const sample = run({ MODE: 'done' })
  expect(await sample.exitCode).toBe(0)
  expect(sample.said).toContain('stopping undefined\nstopped')
})

test('one that exits with its parent waits for nothing when the parent is gone; others go on', async () => {
  const child = run({ MODE: 'child' })
  const other = run({ MODE: '' })
  await waitFor(() => child.said.includes('started') && other.said.includes('started'))
  child.child.disconnect()
  other.child.disconnect()
  expect(await child.exitCode).toBe(0)
  expect(child.said).toContain('stopping 0\nstopped')
  expect(other.child.exitCode).toBe(null)
})
