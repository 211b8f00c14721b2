import { boolean } from './fields.js'
import { isLoopback } from './loopback.js'
import type { Env } from './read-config.js'

const isOn = (name: string, env: Env): boolean => {
  const read = boolean(name, { default: false }).read(env)
  return 'value' in read && read.value
}
const textOf = (name: string, env: Env): string => (env[name] ?? '').trim()

/**
 * Where anybody on the network may register, `shell` for every project is a program on the worker's machine for anybody:
 * that has to be said in so many words, by `*`.
 */
export function openShellFault(env: Env): string[] {
  const isOpen = isOn('MILLRACE_OPEN_REGISTRATION', env) && !isLoopback(textOf('MILLRACE_HOST', env) || '127.0.0.1')
  if (!isOpen || !isOn('MILLRACE_SHELL_ENABLED', env) || textOf('MILLRACE_SHELL_PROJECTS', env) !== '') return []
  return [
    'MILLRACE_SHELL_PROJECTS is required with MILLRACE_SHELL_ENABLED where registration is open and MILLRACE_HOST is not ' +
      'loopback: ids of projects, or * for every project',
  ]
}
