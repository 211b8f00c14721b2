import { execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { promisify } from 'node:util'
import { ExecutionFailure } from '../../execution/execution-failure.js'

export interface ShellUser {
  uid: number
  gid: number
}

/** `auto` never runs a command with the worker's own rights; `none` does, unless the worker is root. */
export type IsolationMode = 'auto' | 'none'

export interface Isolation {
  /**
   * `attempt-user`: each attempt has a user id of its own, so that every process of that id is the attempt's, whatever it
   * does to its session, parent or environment. `namespaces`: processes cannot see or outlive their process namespace.
   */
  kind: 'attempt-user' | 'fixed-user' | 'namespaces' | 'none'
  /** Whom the next attempt runs as; the worker's own user when undefined. */
  nextUser(): ShellUser | undefined
  /** Started in front of the program. Runs with the command's rights already, since the author's environment reaches it. */
  prefix: readonly string[]
}

/** Ids that neither distributions, nor systemd, nor container runtimes hand out (systemd's UIDS-GIDS page). */
const firstUnusedId = 1_879_048_192
const lastUnusedId = 2_147_483_646

export const isAttemptUser = (uid: number): boolean => uid >= firstUnusedId && uid <= lastUnusedId

/** No program may raise its rights, and a fork bomb ends at its own limit. */
const noNewPrivileges = ['/usr/bin/setpriv', '--no-new-privs', '--']
const processLimit = ['/usr/bin/prlimit', '--nproc=1024:1024', '--']
/** A shell stays as process 1: as such the command itself would ignore signals that it has no handler for. */
const namespaces = [
  ...['/usr/bin/unshare', '--user', '--map-current-user', '--pid', '--fork', '--kill-child', '--mount-proc', '--'],
  ...['/bin/sh', '-c', '"$@"; exit $?', 'sh'],
]

/** Finds out by trying: what a system allows is not written down in one place. */
export async function detectIsolation(mode: IsolationMode, user: ShellUser | undefined): Promise<Isolation> {
  const isRoot = process.geteuid?.() === 0
  if (user) return fixedUser(user)
  if (isRoot) return attemptUser()
  if (mode === 'none') return { kind: 'none', nextUser: () => undefined, prefix: [] }
  if (await works(namespaces, undefined)) return { kind: 'namespaces', nextUser: () => undefined, prefix: namespaces }
  throw notIsolated(
    'the system allows no user namespaces. Run the worker as root, or set MILLRACE_SHELL_ISOLATION=none',
  )
}

async function attemptUser(): Promise<Isolation> {
  const nextUser = () => {
    const id = randomInt(firstUnusedId, lastUnusedId + 1)
    return { uid: id, gid: id }
  }
  const prefix = await firstThatWorks([[...processLimit, ...noNewPrivileges], noNewPrivileges, []], nextUser())
  if (prefix) return { kind: 'attempt-user', nextUser, prefix }
  throw notIsolated(
    'this root may not change its user. Set MILLRACE_SHELL_UID and MILLRACE_SHELL_GID to ids that it has',
  )
}

async function fixedUser(user: ShellUser): Promise<Isolation> {
  const prefix = await firstThatWorks([[...noNewPrivileges, ...namespaces], namespaces, noNewPrivileges, []], user)
  if (!prefix) throw notIsolated(`the worker may not run commands as user ${user.uid}: it must run as root for that`)
  const kind = prefix.includes('--pid') ? 'namespaces' : 'fixed-user'
  return { kind, nextUser: () => user, prefix }
}

async function firstThatWorks(prefixes: readonly string[][], user: ShellUser): Promise<string[] | undefined> {
  for (const prefix of prefixes) if (await works(prefix, user)) return prefix
  return undefined
}

const run = promisify(execFile)

async function works(prefix: readonly string[], user: ShellUser | undefined): Promise<boolean> {
  const [file = '', ...args] = [...prefix, '/bin/sh', '-c', 'exit 0']
  try {
    await run(file, args, { cwd: '/', env: {}, timeout: 10_000, ...user })
    return true
  } catch {
    return false
  }
}

function notIsolated(why: string): ExecutionFailure {
  return new ExecutionFailure(`Shell commands cannot be isolated from this worker: ${why}`, {
    class: 'non_retryable',
    code: 'shell_not_isolated',
  })
}
