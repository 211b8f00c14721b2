// make test-schemathesis: every operation of the OpenAPI document with every check and phase of Schemathesis, against a
// standalone, or with --stack against a stack, through Envoy. Other arguments go to Schemathesis, such as
// --phases fuzzing --max-examples 200 --seed 1.
import './check-node.mjs'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pythonTool } from './python-tool.mjs'
import { startStack, stopStack } from './temporary-stack.mjs'
import { openSession, withStandalone } from './temporary-standalone.mjs'

const version = '4.32.5'
const folder = fileURLToPath(new URL('./schemathesis/', import.meta.url))
/** Event streams, whose answers last as long as what they follow: only what they refuse is tried. */
const endless = '^watch'
/** Six to seven minutes on two busy cores. */
const maxMs = 30 * 60_000

/** Thousands of requests of one caller in a minute, among them many logins that must fail. */
const settings = {
  MILLRACE_RATE_LIMIT_REQUESTS: '1000000',
  MILLRACE_RATE_LIMIT_REGISTER_ADDRESS: '100000',
  MILLRACE_RATE_LIMIT_LOGIN_ADDRESS: '100000',
  MILLRACE_LOG_LEVEL: 'warn',
}

/** What a caller must not lose while it is used. */
async function ownIds(url, token) {
  const get = async (path) => {
    const answer = await fetch(`${url}/api/v1/auth/${path}`, { headers: { authorization: `Bearer ${token}` } })
    return await answer.json()
  }
  const { user, projects } = await get('me')
  const { items } = await get('sessions')
  const sessions = items.map(({ id }) => id)
  return { project: projects[0].slug, sessions, ids: [user.id, user.email, projects[0].slug, ...sessions] }
}

/** The session was there to the end: without it the answer to everything is 401, which is no fault of any operation. */
async function assertSessions(url, admin, used) {
  const { accessToken } = await openSession(url, admin)
  const { sessions } = await ownIds(url, accessToken)
  if (!used.every((id) => sessions.includes(id))) throw new Error('The session ended while it was used.')
}

async function check(url, admin, args) {
  const runs = [
    ['--exclude-operation-id-regex', endless, ...args],
    ['--include-operation-id-regex', endless, '--mode', 'negative', '--phases', 'coverage,fuzzing'],
  ]
  let failed = 0
  for (const more of runs) if (!(await run(url, admin, more))) failed += 1
  return failed
}

async function run(url, admin, args) {
  const { accessToken, refreshToken } = await openSession(url, admin)
  const { project, sessions, ids } = await ownIds(url, accessToken)
  const work = mkdtempSync(join(tmpdir(), 'millrace-schemathesis-'))
  const command = join(pythonTool('schemathesis', version), 'schemathesis')
  const common = [
    ...['--config-file', join(folder, 'schemathesis.toml'), 'run', `${url}/api/v1/openapi.json`],
    ...[
      '--checks',
      'all',
      '--continue-on-failure',
      '--request-timeout',
      '20',
      '--warnings',
      'off',
      '--suppress-health-check',
      'all',
    ],
  ]
  const own = { MILLRACE_PROJECT: project, MILLRACE_OWN_IDS: ids.join(','), MILLRACE_URL: url }
  const session = { MILLRACE_REFRESH_TOKEN: refreshToken }
  const env = { ...process.env, ...own, ...session, SCHEMATHESIS_HOOKS: 'extensions', PYTHONPATH: folder }
  const options = { cwd: work, env: { ...env, PYTHONDONTWRITEBYTECODE: '1' }, stdio: 'inherit', timeout: maxMs }
  const [status] = await once(spawn(command, [...common, ...args], options), 'close')
  rmSync(work, { recursive: true, force: true })
  await assertSessions(url, admin, sessions)
  return status === 0
}

async function onStandalone(args) {
  return await withStandalone(settings, async ({ url, admin }) => check(url, admin, args))
}

async function onStack(args) {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-stack-'))
  chmodSync(folder, 0o711)
  const stack = await startStack(folder, settings)
  try {
    const url = stack.env.MILLRACE_TARGET_URL
    return await check(url, stack.admin, args)
  } finally {
    await stopStack(stack)
    rmSync(folder, { recursive: true, force: true })
  }
}

const args = process.argv.slice(2)
const rest = args.filter((arg) => arg !== '--stack')
const failed = await (rest.length < args.length ? onStack(rest) : onStandalone(rest))
process.exit(failed === 0 ? 0 : 1)
