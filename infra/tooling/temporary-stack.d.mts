import type { ChildProcess } from 'node:child_process'

export interface TemporaryStack {
  child: ChildProcess
  /** For the tests that run on it. */
  env: Record<string, string>
  admin: { email: string; password: string }
  exited: Promise<unknown>
  dataDir: string
}

export function startStack(folder: string, settings?: Record<string, string>, program?: string): Promise<TemporaryStack>
export function stopStack(stack: TemporaryStack): Promise<{ code: number | null; left: string[] }>
