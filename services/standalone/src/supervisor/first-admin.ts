import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writePrivateFile } from './private-file.js'

export interface FirstAdmin {
  email: string
  /** Absent when the person chose it. */
  generatedPassword?: string | undefined
}

const fileOf = (dataDir: string): string => join(dataDir, 'first-admin.json')

/**
 * Left by the edge before iam commits the account, shown by the supervisor once everything runs, then removed: a crash
 * at any point between loses no password, and a later start has nothing to show.
 */
export function leaveFirstAdmin(dataDir: string, admin: FirstAdmin): void {
  writePrivateFile(fileOf(dataDir), JSON.stringify(admin))
}

export function readFirstAdmin(dataDir: string): FirstAdmin | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(dataDir), 'utf8')) as FirstAdmin
  } catch {
    return undefined
  }
}

export function forgetFirstAdmin(dataDir: string): void {
  rmSync(fileOf(dataDir), { force: true })
}
