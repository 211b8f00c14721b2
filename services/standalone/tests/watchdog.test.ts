import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { waitFor } from '@millrace/testkit'
import { afterEach, expect, test } from 'vitest'
import { ManagedChild } from '../src/supervisor/managed-child.js'

const dataDir = mkdtempSync(join(tmpdir(), 'millrace hang '))
let child: ManagedChild | undefined
afterEach(async () => {
  await child?.kill()
  rmSync(dataDir, { recursive: true, force: true })
})

test('a process whose event loop is blocked, and one that was stopped, are replaced within the term', async () => {
  const told: string[] = []
  let output = ''
  const script = join(import.meta.dirname, 'support', 'blocking-child.mjs')
  const onHang = (name: string) => told.push(`${name} hung`)
  const onOutput = (chunk: Buffer) => {
    output += chunk.toString()
  }
  child = new ManagedChild(
    {
      name: 'blocker',
      script,
      services: [],
      dataDir,
      maxCrashes: 5,
      execPath: process.execPath,
      hangMs: 1_500,
      onHang,
      onOutput,
    },
    {
      onCrash: (name, why) => told.push(`${name} stopped: ${why.replace(/\d+/, 'n')}`),
      onRestarted: (name) => told.push(`${name} is back`),
      onCrashLoop: () => told.push('loop'),
      onPidChange: () => undefined,
    },
  )
  await child.start({})
  const first = child.pid
  const once = ['blocker hung', 'blocker stopped: it gave no sign for n ms', 'blocker is back']
  await waitFor(() => told.length === 3, { timeoutMs: 20_000 })
  expect(told).toEqual(once)
  expect(child.pid).not.toBe(first)
  await waitFor(() => /process_hangs_total\S* 1\b/.test(output), { timeoutMs: 5_000 })

  process.kill(child.pid as number, 'SIGSTOP')
  await waitFor(() => told.length === 6, { timeoutMs: 20_000 })
  expect(told.slice(3)).toEqual(once)
})
