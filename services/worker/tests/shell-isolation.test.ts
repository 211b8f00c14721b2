import { spawn } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testServiceEnv, waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readWorkerConfig } from '../src/config.js'
import { openHarness, startHarness } from './harness.js'
import { outcomeOf } from './outcome.js'

const isRoot = process.getuid?.() === 0
const ownId = String(process.getuid?.())

let harness: Awaited<ReturnType<typeof openHarness>>
let folder = ''
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-isolation-'))
  chmodSync(folder, 0o777)
  harness = await openHarness()
})
afterAll(async () => {
  await harness.close()
  rmSync(folder, { recursive: true })
})

const sh = (command: string, lease: object = {}) => outcomeOf(harness, 'shell', { command }, lease)
const stdoutOf = async (command: string) => String((await sh(command)).output?.stdout).trim()

describe('a command and its worker', () => {
  it('does not read the environment, memory or files of the worker', async () => {
    const secretFile = join(folder, 'of-the-worker')
    writeFileSync(secretFile, 'planted-in-a-file', { mode: 0o600 })
    const probes = ['environ', 'maps', 'mem', 'fd/0'].map(
      (name) => `cat /proc/${process.pid}/${name} /proc/$PPID/${name}`,
    )
    const { output } = await sh(
      `( ${probes.join('; ')}; cat ${secretFile} ) 2>/dev/null | tr '\\0' '\\n' | head -c 20000; :`,
    )
    const shown = String(output?.stdout)
    expect(shown).not.toContain('VITEST')
    if (isRoot) expect(shown).not.toContain('planted-in-a-file')
  })

  it('runs without rights: not as root, and no program gives it any', async () => {
    const status = await stdoutOf('id -u; grep -E "NoNewPrivs|CapEff|Groups" /proc/self/status')
    const [uid] = status.split('\n')
    expect(uid).not.toBe('0')
    expect(status).toMatch(/CapEff:\s+0+$/m)
    if (isRoot) {
      expect(uid).not.toBe(ownId)
      expect(status).toMatch(/NoNewPrivs:\s+1$/m)
      expect(status).toMatch(/Groups:\s*\d*\s*$/m)
    }
  })

  it('does not reach another attempt', async () => {
    const path = join(folder, 'other-attempt')
    const [id] = harness.dispatch.enqueue({
      uses: 'shell',
      inputJson: JSON.stringify({
        command: `echo private > mine; echo "$$ $PWD" > ${path}; sleep 300`,
        env: { S: 'planted' },
      }),
    })
    const [pid, place] = await waitFor(() => existsSync(path) && readFileSync(path, 'utf8').trim().split(' '), {
      what: 'the other attempt',
    }).then((parts) => (Array.isArray(parts) ? parts : []))
    const { output } = await sh(`cat /proc/${pid}/environ ${place}/mine; kill -9 ${pid}; echo "kill $?"`)
    if (isRoot) expect(String(output?.stdout)).toBe('kill 1\n')
    expect(String(output?.stdout)).not.toContain('planted')
    expect(harness.dispatch.result(id)).toBeUndefined()
    harness.dispatch.cancel(id)
    await waitFor(() => harness.dispatch.result(id))
  })

  it('ignores what its environment would make of the programs that start it', async () => {
    const { output } = await outcomeOf(harness, 'shell', {
      args: ['id', '-u'],
      env: { PATH: `${folder}:/usr/bin:/bin`, LD_PRELOAD: '/nowhere.so' },
    })
    expect(String(output?.stdout).trim()).not.toBe('0')
  })
})

describe('nothing survives', () => {
  /** Each generation leaves its session, drops its environment, starts the next and ends: no chain of parents leads to it. */
  const hopper = (name: string) => {
    const script = join(folder, `${name}.sh`)
    const trace = join(folder, `${name}.trace`)
    writeFileSync(trace, '')
    chmodSync(trace, 0o666)
    writeFileSync(
      script,
      `echo hop >> ${trace}\nsleep 0.02\nsetsid env -i /bin/sh ${script} </dev/null >/dev/null 2>&1 &\n`,
    )
    chmodSync(script, 0o755)
    const start = `(setsid env -i /bin/sh ${script} </dev/null >/dev/null 2>&1 &)`
    return { start, hops: () => readFileSync(trace, 'utf8').length }
  }
  /** Twice the same after longer than several generations take. */
  const hasStopped = async (hops: () => number) => {
    let last = -1
    let since = performance.now()
    await waitFor(
      () => {
        if (hops() !== last) {
          last = hops()
          since = performance.now()
        }
        return performance.now() - since > 600
      },
      { timeoutMs: 10_000, what: 'the end of the hops' },
    )
  }

  it.each(['its end', 'a cancel', 'a timeout'])(
    '%s, also what hides from its session, parent and environment',
    async (how) => {
      const { start, hops } = hopper(how.replace(/\W/g, ''))
      const command = `${start}; sleep 0.3; ${how === 'its end' ? ':' : 'sleep 300'}`
      const lease = how === 'a timeout' ? { timeoutMs: 1_500 } : {}
      const [id] = harness.dispatch.enqueue({ uses: 'shell', inputJson: JSON.stringify({ command }), ...lease })
      await waitFor(() => hops() > 0)
      if (how === 'a cancel') harness.dispatch.cancel(id)
      await waitFor(() => harness.dispatch.result(id), { timeoutMs: 10_000 })
      await hasStopped(hops)
    },
  )

  it('the named user, in whose name others may run', async () => {
    if (!isRoot) {
      const refused = await startHarness({ shell: { enabled: true, user: { uid: 65_534, gid: 65_534 } } })
      expect((await outcomeOf(refused, 'shell', { command: 'id -u' })).error?.code).toBe('shell_not_isolated')
      return
    }
    const bystander = spawn('/bin/sleep', ['300'], { uid: 65_534, gid: 65_534, stdio: 'ignore' })
    try {
      const named = await startHarness({ shell: { enabled: true, user: { uid: 65_534, gid: 65_534 } } })
      const { start, hops } = hopper('named')
      const { output } = await outcomeOf(named, 'shell', { command: `id -u; ${start}; sleep 0.3` })
      expect(String(output?.stdout).trim()).toBe('65534')
      expect(hops()).toBeGreaterThan(0)
      await hasStopped(hops)
      expect(bystander.exitCode ?? bystander.signalCode).toBeNull()
    } finally {
      bystander.kill('SIGKILL')
    }
  })

  it('a worker that was killed', async () => {
    const { start, hops } = hopper('killed')
    const uid = 1_900_000_001
    const left = join(tmpdir(), 'millrace-shell-4194305-0123456789abcdee')
    mkdirSync(left, { recursive: true })
    if (isRoot) chownSync(left, uid, uid)
    const env = { TASK_SCOPE: 'millrace-shell-4194305-0123456789abcdee', PATH: process.env.PATH }
    const inTheName = isRoot ? { uid, gid: uid } : {}
    const lost = spawn('/bin/sh', ['-c', `${isRoot ? start : ''}; exec sleep 300`], {
      ...inTheName,
      env,
      detached: true,
      stdio: 'ignore',
    })
    if (isRoot) await waitFor(() => hops() > 0)
    const fresh = await startHarness()
    await outcomeOf(fresh, 'shell', { command: 'true' })
    await waitFor(() => lost.signalCode !== null)
    await hasStopped(hops)
    expect(existsSync(left)).toBe(false)
  })
})

describe('permission', () => {
  it('is a matter of the project where projects are named', async () => {
    const named = await startHarness({ shell: { enabled: true, projects: new Set(['project-a']) } })
    const other = await outcomeOf(named, 'shell', { command: 'echo x' }, { projectId: 'project-b' })
    expect(other.error).toMatchObject({ class: 'non_retryable', code: 'shell_not_permitted', retryable: false })
    const allowed = await outcomeOf(named, 'shell', { command: 'echo x' }, { projectId: 'project-a' })
    expect(allowed.output?.stdout).toBe('x\n')
  })

  it('is read from the configuration, by id', () => {
    const env = {
      ...{ MILLRACE_SCHEDULER_PUBLIC_GRPC: 'h:1', MILLRACE_METADATA_GRPC: 'h:2' },
      ...testServiceEnv('worker'),
    }
    const shell = (more: object) => readWorkerConfig({ ...env, ...more }).shell
    const id = '0191f8a0-0000-7000-8000-000000000001'
    expect(shell({}).projects).toBeUndefined()
    expect(shell({ MILLRACE_SHELL_PROJECTS: id }).projects).toEqual(new Set([id]))
    expect(() => shell({ MILLRACE_SHELL_PROJECTS: 'a-slug' })).toThrow(/MILLRACE_SHELL_PROJECTS/)
    const open = { MILLRACE_SHELL_ENABLED: 'true', MILLRACE_HOST: '0.0.0.0', MILLRACE_OPEN_REGISTRATION: 'true' }
    expect(() => shell(open)).toThrow(/MILLRACE_SHELL_PROJECTS is required/)
    expect(shell({ ...open, MILLRACE_SHELL_PROJECTS: '*' }).projects).toBeUndefined()
    expect(shell({ ...open, MILLRACE_WORKER_API_KEY: 'mr_of-a-project' }).enabled).toBe(true)
    expect(() => shell({ MILLRACE_SHELL_UID: '7' })).toThrow(/together/)
  })
})
