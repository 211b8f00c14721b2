/** One server process: how it is started, and how one knows that it serves. The same spec starts it again after it died. */
export interface ServerSpec {
  name: string
  command: string
  args: string[]
  env?: Record<string, string | undefined>
  cwd?: string
  /** It lags when cores are short, and catches up after; nobody's task waits for it. */
  background?: boolean
  /** host:port, or whatever a person would look for. */
  address: string
  /** False, or an error, while it does not serve yet. */
  healthy(): Promise<boolean>
  /** Whether its process answers at all, whatever its dependencies do. Without it nobody notices one that hangs. */
  answers?(): Promise<boolean>
  startTimeoutMs: number
  /** How long it may take to end after SIGTERM before it is killed. */
  stopTimeoutMs: number
}
