import { expect, test } from 'vitest'
import { openShellFault } from './shell-fault.js'

const open = { MILLRACE_SHELL_ENABLED: 'true', MILLRACE_HOST: '0.0.0.0', MILLRACE_OPEN_REGISTRATION: 'true' }

test('commands of whoever registers from another machine have to be asked for', () => {
  expect(openShellFault(open)).toEqual([expect.stringMatching(/^MILLRACE_SHELL_PROJECTS is required/)])
  expect(openShellFault({ ...open, MILLRACE_SHELL_PROJECTS: ' ' })).toHaveLength(1)
  expect(openShellFault({ ...open, MILLRACE_SHELL_ENABLED: '1', MILLRACE_OPEN_REGISTRATION: 'yes' })).toHaveLength(1)
})

test.each([
  ['the projects are named', { MILLRACE_SHELL_PROJECTS: '0191f8a0-0000-7000-8000-000000000001' }],
  ['all of them are asked for', { MILLRACE_SHELL_PROJECTS: '*' }],
  ['only this machine reaches the gateway', { MILLRACE_HOST: '127.0.0.1' }],
  ['no host is set, which is loopback', { MILLRACE_HOST: '' }],
  ['registration is closed', { MILLRACE_OPEN_REGISTRATION: 'false' }],
  ['registration is closed by default', { MILLRACE_OPEN_REGISTRATION: '' }],
  ['shell is off', { MILLRACE_SHELL_ENABLED: '' }],
])('nothing is wrong where %s', (_, change) => {
  expect(openShellFault({ ...open, ...change })).toEqual([])
})
