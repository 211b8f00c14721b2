import { fillSecrets } from '@millrace/definition'
import type { Logger } from '@millrace/logger'
import type { SecretAnswer } from '../clients/secrets-client.js'
import { type Failure, failure } from '../domain/failure.js'
import type { Engine } from './engine.js'
import type { Environment } from './environment.js'
import { groupBy } from './group-by.js'
import type { Lease } from './lease.js'
import { SecretsUnavailable, type SecretValues } from './secret-values.js'

/** A lease as it goes to its worker. Only here do secrets stand in an input, and nothing keeps one. */
export interface FilledLease {
  readonly lease: Lease
  readonly input: string
  /** The values that the worker hides in whatever it reports. */
  readonly secrets: readonly string[]
}

export interface LeaseReply {
  readonly leases: readonly FilledLease[]
  /** Some are held back because their secrets cannot be had now: asking again at once gains nothing. */
  readonly heldBack: boolean
}

/** A reply carries no more than this, unless its first lease alone does. */
export const MAX_REPLY_BYTES = 2 * 1024 * 1024

const noSecrets: readonly string[] = []
const plain = (lease: Lease): FilledLease => ({ lease, input: lease.input, secrets: noSecrets })

/** The last step on the way to a worker: bounds a reply, and puts secrets where they belong. */
export class LeaseReplies {
  private readonly held = new Map<() => void, readonly Lease[]>()

  constructor(
    private readonly engine: Pick<Engine, 'handBack' | 'submit' | 'polls'>,
    private readonly values: SecretValues,
    private readonly env: Environment,
    private readonly logger: Logger,
  ) {}

  /** Costs nothing but a look at each lease where none has secrets. */
  async fill(sessionId: string, leases: readonly Lease[]): Promise<LeaseReply> {
    const some = this.fit(sessionId, leases.map(plain))
    if (!some.some(({ lease }) => lease.secrets.length > 0)) return { leases: some, heldBack: false }
    const { filled, heldBack } = await this.reveal(some)
    return { leases: this.fit(sessionId, filled), heldBack }
  }

  /** Hands back at once what waits for secrets. */
  async stop(): Promise<void> {
    const held = [...this.held]
    this.held.clear()
    for (const [callOff] of held) callOff()
    await this.giveUp(held.flatMap(([, leases]) => leases))
  }

  /** What does not fit stays owed to the session, for its next poll. */
  private fit(sessionId: string, filled: readonly FilledLease[]): readonly FilledLease[] {
    let bytes = 0
    const over = filled.findIndex(({ input, secrets }, index) => {
      bytes += bytesOf(input)
      for (const secret of secrets) bytes += bytesOf(secret)
      return index > 0 && bytes > MAX_REPLY_BYTES
    })
    if (over < 0) return filled
    const rest = filled.slice(over).map(({ lease }) => lease)
    this.engine.polls.putBack(sessionId, rest)
    return filled.slice(0, over)
  }

  private async reveal(some: readonly FilledLease[]): Promise<{ filled: FilledLease[]; heldBack: boolean }> {
    const answers = await this.answersFor(some.map(({ lease }) => lease).filter(({ secrets }) => secrets.length > 0))
    const filled: FilledLease[] = []
    const refused: Promise<void>[] = []
    let heldBack = false
    for (const entry of some) {
      const { lease } = entry
      const answer = lease.secrets.length === 0 ? undefined : answers.get(lease.projectId)
      if (answer === 'unavailable') heldBack = true
      else {
        const result = answer === undefined ? entry : put(lease, answer)
        if ('lease' in result) filled.push(result)
        else refused.push(this.refuse(lease, result))
      }
    }
    await Promise.all(refused)
    return { filled, heldBack }
  }

  private async answersFor(leases: readonly Lease[]): Promise<Map<string, SecretAnswer | 'unavailable'>> {
    const answers = new Map<string, SecretAnswer | 'unavailable'>()
    const ask = async ([projectId, group]: [string, Lease[]]) => {
      const names = new Set(group.flatMap(({ secrets }) => secrets.map(({ name }) => name)))
      try {
        answers.set(projectId, await this.values.get(projectId, [...names]))
      } catch (error) {
        if (!(error instanceof SecretsUnavailable)) throw error
        this.logger.warn(
          { err: error.cause, projectId, leases: group.length },
          'leases wait: secrets cannot be had now',
        )
        answers.set(projectId, 'unavailable')
        this.hold(group, error.waitMs)
      }
    }
    await Promise.all([...groupBy(leases, ({ projectId }) => projectId)].map(ask))
    return answers
  }

  /** Not handed back at once: they would be leased again at once, and in front of tasks that need no secret. */
  private hold(leases: readonly Lease[], waitMs: number): void {
    const callOff = this.env.after(waitMs, () => {
      this.held.delete(callOff)
      void this.giveUp(leases)
    })
    this.held.set(callOff, leases)
  }

  /** A lease that cannot be given back now goes back when its session's heartbeats do not name it. */
  private async giveUp(leases: readonly Lease[]): Promise<void> {
    if (leases.length === 0) return
    try {
      await this.engine.handBack(leases)
    } catch (error) {
      this.logger.warn({ err: error, leases: leases.length }, 'leases could not be handed back')
    }
  }

  private async refuse(lease: Lease, error: Failure): Promise<void> {
    const { runId, taskId, token, leaseId } = lease
    try {
      await this.engine.submit({
        runId,
        command: { kind: 'fail', taskId, lease: { token, leaseId }, error, random: this.env.random() },
      })
    } catch (cause) {
      this.logger.warn({ err: cause, runId, taskId }, 'a task could not be failed: its lease is handed back')
      await this.giveUp([lease])
    }
  }
}

function put(lease: Lease, { values, unreadable }: SecretAnswer): FilledLease | Failure {
  if (lease.uses === 'shell' && lease.secrets.some(({ path }) => path[0] === 'args')) return secretInArguments
  const names = [...new Set(lease.secrets.map(({ name }) => name))]
  const closed = names.filter((name) => unreadable.has(name))
  if (closed.length > 0) return failure('secret_unreadable', `cannot be opened: ${closed.join(', ')}`, 'validation')
  const absent = names.filter((name) => !values.has(name))
  if (absent.length > 0) return failure('secret_not_found', `there is no secret ${absent.join(', ')}`, 'validation')
  const size = lease.secrets.reduce((sum, { name }) => sum + (values.get(name)?.length ?? 0), lease.input.length)
  if (size > MAX_REPLY_BYTES) return tooLarge
  const input = fillInput(lease, values)
  if (input === undefined)
    return failure('secret_misplaced', 'the stored input has no place for its secrets', 'validation')
  if (bytesOf(input) > MAX_REPLY_BYTES) return tooLarge
  return { lease, input, secrets: names.map((name) => values.get(name) ?? '') }
}

/** Undefined when the stored places do not fit the stored input: one such task must not spoil the reply for others. */
function fillInput(lease: Lease, values: ReadonlyMap<string, string>): string | undefined {
  try {
    return JSON.stringify(fillSecrets(JSON.parse(lease.input), lease.secrets, (name) => values.get(name) ?? ''))
  } catch {
    return undefined
  }
}

const secretInArguments = failure(
  'secret_misplaced',
  'every user of a machine can read the arguments of its processes: a secret of `shell` goes into `env` or `stdin`, not into `args`',
  'validation',
)

const tooLarge = failure('input_too_large', 'with its secrets, `with` is over 2 MiB', 'validation')

const bytesOf = (text: string): number => Buffer.byteLength(text)
