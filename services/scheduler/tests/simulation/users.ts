import type { QueueChange } from '../../src/db/queues.js'
import { runHasEnded } from '../../src/domain/run-state.js'
import type { Engine } from '../../src/engine/engine.js'
import { projects, queues } from './definitions.js'
import type { RunTuple } from './model/tables.js'
import type { Replica } from './replica.js'
import type { Simulation } from './simulation.js'

/** People at their consoles: they cancel, pause, retry, approve and signal at any moment, also before a run arrived. */
export class Users {
  private signals = 0
  /** Commands under way: one may reopen a run that had ended. */
  private readonly underWay = new Set<{ replica: Replica }>()

  constructor(private readonly simulation: Simulation) {}

  /** Whoever asked a scheduler that died gets no answer. */
  get waiting(): boolean {
    return [...this.underWay].some(({ replica }) => replica.alive)
  }

  begin(): void {
    const { world } = this.simulation
    const rate = this.simulation.faults().userAction
    if (rate <= 0) return
    const next = () =>
      world.after((-Math.log(1 - world.chance.real()) / rate) * 1000, null, '', () => {
        if (this.simulation.faults().userAction <= 0) return
        this.act(world.chance.pick(this.simulation.runIds))
        next()
      })
    next()
  }

  /** In the calm at the end: nothing waits for people any more. */
  takeCare(): void {
    const { world, database } = this.simulation
    for (const run of [...database.live.all('runs')]) {
      if (run.status === 'paused') this.do('resume', (engine) => engine.pauseOrResume(run.id, 'resume'))
      if (!runHasEnded(run.status)) this.answerWaiting(run)
    }
    for (const { project_id, name, paused, concurrency } of database.live.all('queues')) {
      if (paused) this.setQueue(project_id, name, { concurrency, paused: false })
    }
    for (const { id, state } of database.live.all('sessions')) if (state === 'paused') this.setWorker(id, 'active')
    world.after(500, null, '', () => this.takeCare())
  }

  private do(label: string, command: (engine: Engine) => Promise<unknown>): void {
    const { world } = this.simulation
    const replica = this.simulation.anyReplica()
    if (!replica.alive) return
    world.note(`user: ${label}`)
    this.simulation.invariants.count(`user: ${label}`)
    const entry = { replica }
    this.underWay.add(entry)
    const answered = () => this.underWay.delete(entry)
    command(replica.engine).then(answered, answered)
  }

  private act(runId: string): void {
    const { chance } = this.simulation.world
    const run = this.simulation.database.live.get('runs', runId)
    const roll = chance.real()
    if (roll < 0.04) this.control()
    else if (roll < 0.1) this.do('cancel', (engine) => engine.cancel(runId, 'by a user'))
    else if (roll < 0.3) this.do('pause', (engine) => engine.pauseOrResume(runId, 'pause'))
    else if (roll < 0.5) this.do('resume', (engine) => engine.pauseOrResume(runId, 'resume'))
    else if (roll < 0.65) this.signal(runId)
    else if (roll < 0.72) this.retryTask(runId)
    else if (roll < 0.78) this.rerun(run)
    else if (run?.status === 'failed' || run?.status === 'cancelled') {
      this.do('retry', (engine) => engine.submit({ runId, command: { kind: 'retry' } }))
    } else if (run) this.answerWaiting(run)
  }

  /** Settings of a queue, as the handler writes them: they hold from the commit on, and replicas hear of it. */
  setQueue(projectId: string, name: string, terms: Partial<QueueChange>): void {
    const change = { paused: false, concurrency: null, rateLimit: null, weight: null, profile: null, defaults: null }
    this.do('set a queue', (engine) => {
      this.simulation.database.execute('setQueue', [projectId, name, { ...change, ...terms }], null)
      return engine.control.changed()
    })
  }

  setWorker(sessionId: string, state: 'active' | 'paused' | 'draining'): void {
    this.do(`worker ${state}`, (engine) => {
      this.simulation.database.execute('setSessionState', [sessionId, state], null)
      return engine.control.changed()
    })
  }

  private control(): void {
    const { chance } = this.simulation.world
    const sessions = [...this.simulation.database.live.all('sessions')].filter(
      ({ state }) => state === 'active' || state === 'paused',
    )
    if (chance.bool(0.4) && sessions.length > 0) {
      this.setWorker(chance.pick(sessions).id, chance.pick(['active', 'paused', 'draining']))
      return
    }
    this.setQueue(chance.pick(projects), chance.pick(queues), {
      paused: chance.bool(0.3),
      concurrency: chance.pick([null, 1, 2]),
      rateLimit: chance.bool(0.2) ? { limit: chance.int(1, 3), perMs: 1000 } : null,
      weight: chance.pick([null, null, 0.5, 4]),
    })
  }

  private signal(runId: string): void {
    const { chance } = this.simulation.world
    this.signals += 1
    const signal = { signalId: `${runId}:${this.signals}`, name: chance.pick(['go', 'stop']), payload: '{"n":1}' }
    this.do('signal', (engine) => engine.signal(runId, signal))
  }

  /** From the beginning, from a task, or one item of a map. */
  private rerun(run: RunTuple | undefined): void {
    if (!run) return
    const { chance } = this.simulation.world
    const tasks = this.tasksOf(run.id)
    const items = tasks.filter(({ idx }) => idx >= 0)
    const from = items.length > 0 && chance.bool(0.7) ? chance.pick(items) : chance.pick(tasks)
    const index = chance.bool(0.8) ? from.idx : -1
    this.simulation.invariants.count(index < 0 ? 'a rerun' : 'a rerun of one item')
    this.simulation.rerun(run, index < 0 && chance.bool(0.2) ? '' : from.key, index)
  }

  private retryTask(runId: string): void {
    const { chance } = this.simulation.world
    const failed = this.tasksOf(runId).filter(({ status }) => status === 'failed')
    if (failed.length === 0) return
    const { id: taskId } = chance.pick(failed)
    this.do('retry a task', (engine) => engine.submit({ runId, command: { kind: 'retry', taskId } }))
  }

  private answerWaiting(run: RunTuple): void {
    const { world } = this.simulation
    for (const task of this.tasksOf(run.id)) {
      if (task.status !== 'waiting') continue
      if (task.uses === 'approval') {
        const approve = world.chance.bool(0.7)
        const answer = {
          taskId: task.id,
          approve,
          by: 'user:sim',
          comment: '',
          at: new Date(world.wallMs).toISOString(),
        }
        this.do('approval', (engine) => engine.submit({ runId: run.id, command: { kind: 'approval', ...answer } }))
      } else if (task.uses === 'signal') this.signal(run.id)
    }
  }

  private tasksOf(runId: string) {
    return [...this.simulation.database.live.all('tasks')].filter(({ run_id }) => run_id === runId)
  }
}
