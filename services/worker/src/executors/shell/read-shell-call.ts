import { limits } from '@millrace/definition'
import { invalidInput } from '../../execution/execution-failure.js'
import { field, type InputObject, inputObject, optionalObject, optionalString } from '../input.js'
import { plainFileName } from './plain-file-name.js'

export interface ShellCall {
  file: string
  args: string[]
  /** Text for the shell that is started as `file`; undefined where no shell reads. */
  script: string | undefined
  env: Record<string, string>
  stdin: string | undefined
  /** File names in the attempt's folder, with the artifact that each is made from. */
  inputs: ReadonlyMap<string, string>
  /** Files that become artifacts of the run once the command has succeeded. */
  outputs: readonly string[]
}

const maxFiles = 100

/** Where a shell reads its script. */
export const scriptDescriptor = 3

/** Of a list, which an expression makes of all that the items of a map left. */
const maxListedFiles = limits.mapItems

export function readShellCall(raw: unknown): ShellCall {
  const input = inputObject(raw)
  return {
    ...readCommand(input),
    env: readEnv(optionalObject(input, 'env')),
    stdin: optionalString(input, 'stdin'),
    inputs: readInputs(input),
    outputs: readOutputs(field(input, 'outputs')),
  }
}

/** Behind the text: without it the text was cut off, or could not be read at all. */
const scriptEnd = 'end-of-millrace-command'

/**
 * Every user of a machine may read the arguments of its processes, so the text of a command comes by a descriptor, which
 * what it starts does not inherit. On its own first line, for the numbers of lines in the shell's messages.
 */
const readScript = [
  `millrace_command=$(/bin/cat <&${scriptDescriptor}); exec ${scriptDescriptor}<&-`,
  `case $millrace_command in *${scriptEnd}) ;; *) echo 'the command could not be read' >&2; exit 126 ;; esac`,
  `eval "unset millrace_command; \${millrace_command%${scriptEnd}}"`,
].join('; ')

function readCommand(input: InputObject): Pick<ShellCall, 'file' | 'args' | 'script'> {
  const command = optionalString(input, 'command')
  const given = field(input, 'args')
  if ((command === undefined) === (given === undefined))
    throw invalidInput('`with` needs exactly one of command and args')
  if (command !== undefined)
    return { file: '/bin/sh', args: ['-c', readScript], script: checked(command, 'command') + scriptEnd }
  const [file, ...args] = readArgs(given)
  if (file === undefined || file === '') throw invalidInput('`args` must begin with a program')
  return { file, args, script: undefined }
}

function readArgs(args: unknown): string[] {
  if (!Array.isArray(args)) throw invalidInput('`args` must be a list')
  return args.map((arg) => {
    if (typeof arg === 'string') return checked(arg, 'args')
    if (typeof arg === 'number' || typeof arg === 'boolean') return String(arg)
    throw invalidInput('`args` must hold texts')
  })
}

function checked(text: string, name: string): string {
  if (text.includes('\0')) throw invalidInput(`\`${name}\` must not contain a NUL`)
  return text
}

function readEnv(given: InputObject | undefined): Record<string, string> {
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(given ?? {})) {
    if (value === null) continue
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) throw invalidInput('`env` has a malformed name')
    if (typeof value === 'object') throw invalidInput(`\`env.${name}\` must be a text, a number or a boolean`)
    env[name] = checked(String(value), `env.${name}`)
  }
  return env
}

/** `{name: artifactId}`; a large output, which reads as `{"$artifact": id}`, may stand in for the id. */
function readInputs(input: InputObject): ReadonlyMap<string, string> {
  const given = field(input, 'inputs')
  if (Array.isArray(given)) return readListedInputs(given)
  const entries = Object.entries(optionalObject(input, 'inputs') ?? {})
  if (entries.length > maxFiles) throw invalidInput(`\`inputs\` holds at most ${maxFiles} files`)
  return new Map(entries.map(([name, value]) => [plainFileName(name, 'inputs'), artifactId(value)]))
}

/** `[{name, id, index?}]`, as the function `artifacts` gives it: of a map's items each file has its item's index before its name. */
function readListedInputs(given: readonly unknown[]): ReadonlyMap<string, string> {
  if (given.length > maxListedFiles) throw invalidInput(`\`inputs\` lists at most ${maxListedFiles} files`)
  const files = new Map<string, string>()
  for (const entry of given) {
    const { name, id, index } = (entry ?? {}) as { name?: unknown; id?: unknown; index?: unknown }
    if (typeof name !== 'string') throw invalidInput('`inputs` lists files as {name, id}')
    const file = plainFileName(typeof index === 'number' ? `${index}-${name}` : name, 'inputs')
    if (files.has(file)) throw invalidInput(`\`inputs\` lists ${file} twice`)
    files.set(file, artifactId(id))
  }
  return files
}

function artifactId(value: unknown): string {
  const id = typeof value === 'object' && value !== null ? (value as { $artifact?: unknown }).$artifact : value
  if (typeof id === 'string' && /^[0-9a-f-]{36}$/i.test(id)) return id
  throw invalidInput('`inputs` maps file names to ids of artifacts')
}

function readOutputs(given: unknown): string[] {
  if (given === undefined) return []
  if (!Array.isArray(given) || given.length > maxFiles || given.some((name) => typeof name !== 'string')) {
    throw invalidInput(`\`outputs\` is a list of at most ${maxFiles} file names`)
  }
  const names = given.map((name: string) => plainFileName(name, 'outputs'))
  if (new Set(names).size !== names.length) throw invalidInput('`outputs` names a file twice')
  return names
}
