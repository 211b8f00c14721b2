import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newUser } from '../support/client.js'
import type { Standalone } from '../support/standalone.js'
import { startTarget, type Target, targetIsOwn } from '../support/target.js'
import { Checks } from './checks.js'
import { Load, type Started } from './load.js'
import type { CrashCase, Victim } from './points.js'

export interface CrashSuiteOptions {
  cases: readonly CrashCase[]
  /** Runs of each kind while a process dies. */
  each: number
  /** Where outcomes are noted, a line of JSON each. */
  record?: string | undefined
}

export function crashSuite({ cases, each, record }: CrashSuiteOptions): void {
  describe.runIf(targetIsOwn)('killed with -9 exactly there, under load', () => {
    let target: Target
    let standalone: Standalone
    let load: Load
    let checks: Checks
    let folder = ''
    const deaths = new Map<Victim, number[]>()

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'millrace-chaos-'))
      target = await startTarget({ MILLRACE_CRASH_FILE: join(folder, 'order'), MILLRACE_LEASE_MS: '3000' })
      if (!target.standalone) throw new Error('only a deployment of its own can be killed')
      standalone = target.standalone
      target.sink.otherwise({ status: 200 })
      load = await Load.prepare(target, await newUser(target))
      checks = new Checks(() => standalone.databaseUrl(), target.sink)
    }, 180_000)
    afterAll(async () => {
      await target?.close()
      rmSync(folder, { recursive: true, force: true })
    }, 60_000)

    const order = () => join(folder, 'order')
    const isArmed = () => existsSync(order())

    function arm({ point, hit }: CrashCase): void {
      writeFileSync(join(folder, 'next'), `${point} ${hit}`)
      renameSync(join(folder, 'next'), order())
    }

    /** A supervisor gives up on a process that dies more than five times a minute, and is right to. */
    async function keepPace(victim: Victim): Promise<void> {
      const recent = () => (deaths.get(victim) ?? []).filter((at) => Date.now() - at < 65_000)
      while (recent().length >= 4) await delay(1_000)
      deaths.set(victim, [...recent(), Date.now()])
    }

    function killOne(script: string): void {
      const pid = readdirSync('/proc').find((name) => {
        if (!/^\d+$/.test(name)) return false
        const command = commandLine(name)
        return command.includes(standalone.dataDir) && command.includes(script)
      })
      if (pid) process.kill(Number(pid), 'SIGKILL')
    }

    /** What never dies by itself is made to: a supervisor only acts when a child has died. */
    async function untilFired({ victim }: CrashCase, driving: Promise<unknown>): Promise<Started[]> {
      const extra: Started[] = []
      await waitFor(
        async () => {
          if (victim === 'supervisor' && isArmed()) {
            await keepPace('records')
            killOne('records.js')
            await delay(2_000)
          }
          if (!isArmed()) return true
          // A point that the load has passed too seldom: a little more of it.
          const state = await Promise.race([driving.then(() => 'over'), delay(200).then(() => 'going')])
          if (state === 'over' && victim !== 'supervisor') {
            extra.push(...(await load.drive(`extra-${Date.now()}`, 1)))
          }
          return !isArmed()
        },
        { timeoutMs: 180_000, intervalMs: 50, what: 'the point to be reached' },
      )
      if (victim === 'supervisor') await standalone.restart()
      return extra
    }

    test.each(cases)('$point, hit $hit, seed $seed', { timeout: 600_000 }, async (one) => {
      const note = (outcome: object) => {
        if (record) appendFileSync(record, `${JSON.stringify({ ...one, ...outcome })}\n`)
      }
      try {
        note(await survive(one))
      } catch (error) {
        note({ failed: String(error).slice(0, 500) })
        throw error
      }
    })

    async function survive(one: CrashCase): Promise<object> {
      await keepPace(one.victim)
      await load.renew()
      checks.hearAll()
      arm(one)
      const driving = load.drive(`${one.point}-${one.seed}`, each)
      driving.catch(() => undefined)
      const extra = await untilFired(one, driving)
      const started = [...(await driving), ...extra]
      const outcome = await checks.everythingHappenedOnce(started)
      const ticks = await checks.noTickIsLost()
      expect(standalone.isRunning, 'the supervisor lives').toBe(true)
      return { ...outcome, ticks }
    }

    test('in the end everybody was told of every run, once', { timeout: 180_000 }, async () => {
      expect(await checks.everyoneWasTold()).toBeGreaterThan(0)
    })
  })
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}
