import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Runtime {
  /** The Node that the children run on. */
  execPath: string
  /** For people. */
  description: string
}

/** Where `make run` puts the platform's Node: outside the workspaces, whose scripts would otherwise run on it. */
const bundledFolder = fileURLToPath(new URL('../../../../infra/runtime', import.meta.url))

const platforms: Partial<Record<NodeJS.Platform, string>> = { win32: 'win' }

const majorOf = (version: string): number => Number(version.split('.')[0])

/** The bundled Node where it is newer than the one at hand and runs here; else the one at hand. */
export function pickRuntime(choice: 'bundled' | 'system', folder = bundledFolder): Runtime {
  const atHand = process.versions.node
  const system = (why = '') => ({ execPath: process.execPath, description: `Node ${atHand}${why}` })
  if (choice === 'system') return system()
  const place = join(folder, 'node_modules', `node-${platforms[process.platform] ?? process.platform}-${process.arch}`)
  const version = versionIn(place)
  if (version === undefined || majorOf(version) <= majorOf(atHand)) return system()
  const execPath = join(place, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  // A binary may be there and yet not run: made for another C library, or on a disk that executes nothing.
  const { stdout, error } = spawnSync(execPath, ['--version'], { encoding: 'utf8', timeout: 10_000 })
  if (stdout?.trim() !== `v${version}`) {
    return system(`; the bundled Node ${version} does not run here${error ? `: ${error.message}` : ''}`)
  }
  return { execPath, description: `Node ${version}, bundled, since the Node at hand is ${atHand} (MILLRACE_NODE)` }
}

function versionIn(place: string): string | undefined {
  const file = join(place, 'package.json')
  if (!existsSync(file)) return undefined
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}
