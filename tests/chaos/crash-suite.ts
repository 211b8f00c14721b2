import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newUser } from '../support/client.js'
import type { Standalone } from '../support/standalone.js'
import { startTarget, type Target, targetIsOwn } from '../support/target.js'
import { Checks } from './checks.js'
import { processesOf } from './deployment.js'
import { keepLogs } from './keep-logs.js'
import { Load, type Started } from './load.js'
import type { CrashCase } from './points.js'
import { note } from './record.js'

export interface CrashSuiteOptions {
  cases: readonly CrashCase[]
  /** Runs of each kind while processes die. */
  each: number
  /** How many die in one load, one after another. */
  together: number
}

const nameOf = ({ point, hit, seed }: CrashCase) => `${point} hit ${hit} seed ${seed}`

/** A supervisor dies alone: everything goes with it. */
function roundsOf(cases: readonly CrashCase[], together: number): CrashCase[][] {
  const rounds: CrashCase[][] = []
  for (const one of cases) {
    const open = rounds.find((round) => round.length < together && round.every(({ victim }) => victim !== 'supervisor'))
    if (open && one.victim !== 'supervisor') open.push(one)
    else rounds.push([one])
  }
  return rounds
}

export function crashSuite({ cases, each, together }: CrashSuiteOptions): void {
  describe.runIf(targetIsOwn)('killed with -9 exactly there, under load', () => {
    let target: Target
    let standalone: Standalone
    let load: Load
    let checks: Checks
    let folder = ''

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'millrace-chaos-'))
      target = await startTarget({
        MILLRACE_CRASH_FILE: join(folder, 'order'),
        MILLRACE_LEASE_MS: '3000',
        MILLRACE_CHILD_CRASHES: '1000',
      })
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

    function killOne(script: string): void {
      const [pid] = processesOf(standalone, script)
      if (pid) process.kill(pid, 'SIGKILL')
    }

    /** What never dies by itself is made to: a supervisor only acts when a child has died. */
    async function untilFired({ victim }: CrashCase, driving: Promise<unknown>): Promise<Started[]> {
      const extra: Started[] = []
      let killedAt = 0
      await waitFor(
        async () => {
          // Once a minute: killed while it starts, a process never comes back, and some points are passed only then.
          if (victim === 'supervisor' && isArmed() && Date.now() - killedAt > 60_000) {
            killOne('records.js')
            killedAt = Date.now()
          }
          if (!isArmed()) return true
          // A point that the load has passed too seldom: a little more of it.
          const state = await Promise.race([driving.then(() => 'over'), delay(200).then(() => 'going')])
          if (state === 'over' && victim !== 'supervisor') {
            extra.push(...(await load.drive(`extra-${Date.now()}`, 1)))
          }
          return !isArmed()
        },
        { timeoutMs: 300_000, intervalMs: 50, what: 'the point to be reached' },
      )
      if (victim === 'supervisor') await standalone.restart()
      return extra
    }

    const rounds = roundsOf(cases, together).map((round) => ({ round, name: round.map(nameOf).join(' + ') }))
    test.each(rounds)('$name', { timeout: 900_000 }, async ({ round }) => {
      load.failures.length = 0
      try {
        const outcome = await survive(round)
        for (const one of round) note({ ...one, together: round.length, ...outcome })
      } catch (error) {
        const evidence = await keepEvidence(round, error)
        for (const one of round) {
          note({ ...one, together: round.length, failed: String(error).slice(0, 500), evidence })
        }
        throw error
      }
    })

    /** The rows as they are, the calls that failed, and what every process said. */
    async function keepEvidence(round: readonly CrashCase[], error: unknown): Promise<string> {
      rmSync(order(), { force: true })
      const kept = keepLogs(standalone, round.map(nameOf).join('-'))
      const rows = await checks.evidence().catch(String)
      const why = error instanceof Error ? error.stack : String(error)
      writeFileSync(join(kept, 'why.json'), JSON.stringify({ round, why, rows, calls: load.failures }, undefined, 1))
      return kept
    }

    /** One after another in the same load: the next is armed as soon as the one before has died. */
    async function survive(round: readonly CrashCase[]): Promise<object> {
      await load.renew()
      checks.hearAll()
      const driving = load.drive(`load-${Date.now()}`, each)
      driving.catch(() => undefined)
      const extra: Started[] = []
      for (const one of round) {
        arm(one)
        extra.push(...(await untilFired(one, driving)))
      }
      const started = [...(await driving), ...extra]
      const outcome = await checks.everythingHappenedOnce(started)
      await checks.noTickIsDouble()
      expect(standalone.isRunning, 'the supervisor lives').toBe(true)
      return outcome
    }

    test('in the end every second has had its tick, once', { timeout: 180_000 }, async () => {
      expect(await checks.noTickIsLost()).toBeGreaterThan(0)
    })

    test('in the end everybody was told of every run, once', { timeout: 180_000 }, async () => {
      expect(await checks.everyoneWasTold()).toBeGreaterThan(0)
    })
  })
}
