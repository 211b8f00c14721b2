import { execFile, execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface Instruction {
  name: string
  rest: string
}

export interface Stage {
  name: string
  from: string
  instructions: Instruction[]
}

/** The stages of a Dockerfile, as far as ours uses the language: continued lines, comments, plain instructions. */
export function readStages(text: string): Stage[] {
  const lines = text
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
  const stages: Stage[] = []
  for (const line of lines) {
    const [, name = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? []
    if (name === 'FROM') {
      const [, from = '', as = ''] = /^(\S+) AS (\S+)$/.exec(rest) ?? []
      stages.push({ name: as, from, instructions: [] })
    } else if (stages.length > 0) stages.at(-1)?.instructions.push({ name, rest })
  }
  return stages
}

export interface Build {
  /** The clone. */
  context: string
  /** Where `/app` of each stage stands, by name. */
  folders: Map<string, string>
  service: string
}

/** Does what `docker build` would do with COPY and RUN, in a folder instead of an image. */
export async function playStage(stage: Stage, folder: string, build: Build): Promise<void> {
  const parent = build.folders.get(stage.from)
  // Hard links: a stage removes and adds files, it changes none.
  if (parent) execFileSync('cp', ['-al', parent, folder])
  else mkdirSync(folder, { recursive: true })
  build.folders.set(stage.name, folder)
  for (const { name, rest } of stage.instructions) {
    if (name === 'COPY') copy(rest, folder, build)
    if (name === 'RUN') {
      const env = {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        SERVICE: build.service,
        // The lockfile has a checksum of everything: what is in the cache need not be asked for again.
        npm_config_prefer_offline: 'true',
      }
      await run('/bin/sh', ['-c', rest], { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 })
    }
  }
}

function copy(rest: string, folder: string, { context, folders }: Build): void {
  const words = rest.split(/\s+/)
  const flags = words.filter((word) => word.startsWith('--'))
  const paths = words.filter((word) => !word.startsWith('--'))
  const target = paths.pop() ?? '.'
  const stage = flags.find((flag) => flag.startsWith('--from='))?.slice('--from='.length)
  if (stage !== undefined) {
    execFileSync('cp', ['-al', `${folders.get(stage)}/.`, folder])
    return
  }
  for (const path of paths) {
    const source = join(context, path)
    if (!sent(context, path)) throw new Error(`.dockerignore keeps ${path} from the builder`)
    const into = statSync(source).isDirectory() || !target.endsWith('/')
    cpSync(source, into ? join(folder, target) : join(folder, target, basename(path)), {
      recursive: true,
      filter: (file) => !/\/(node_modules|dist|\.millrace)$|\.tsbuildinfo$/.test(file),
    })
  }
}

/** Ours keeps everything back and then names what is sent. */
function sent(context: string, path: string): boolean {
  const rules = readFileSync(join(context, '.dockerignore'), 'utf8').split('\n')
  return existsSync(join(context, path)) && rules.some((rule) => rule === `!${path}`)
}

/** CMD in its exec form. */
export function commandOf(stages: readonly Stage[]): string[] {
  const instructions = stages.at(-1)?.instructions ?? []
  return JSON.parse(instructions.findLast(({ name }) => name === 'CMD')?.rest ?? '[]') as string[]
}
