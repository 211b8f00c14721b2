import { type Client, login, uniqueName } from './client.js'
import type { HostileInput } from './hostile-inputs.js'

const mib = 1024 * 1024
const text = (bytes: number, line: (i: number) => string): string => {
  let all = ''
  for (let i = 0; all.length < bytes; i++) all += line(i)
  return all
}
const json = { 'content-type': 'application/json' }
const numbers = `[${'1,'.repeat(4 * mib - 20)}1]`
/** Each character would begin a wildcard if it were not taken as it stands. */
const wildcards = encodeURIComponent('%_'.repeat(100))
const always = `from=1970-01-01T00:00:00Z&to=2099-01-01T00:00:00Z`

type Request = (client: Client) => Promise<{ status: number }>

const get =
  (path: string): Request =>
  (client) =>
    client.call('GET', path)

/** With a key of role `viewer`: the role that may least. */
const byViewer = (name: string, expected: number, request: Request): HostileInput => ({
  ...{ name: `a viewer: ${name}`, expected },
  async send(client) {
    const { key } = await client.createKey('viewer')
    const { status } = await request(client.as(key))
    return { status }
  },
})

/** By the platform's administrator, who may ask for what is everybody's. */
const byAdmin = (name: string, expected: number, request: Request): HostileInput => ({
  ...{ name: `an admin: ${name}`, expected },
  async send(_, target) {
    const { status } = await request(await login(target, target.admin))
    return { status }
  },
})

const validate =
  (raw: string, type: string): Request =>
  (client) =>
    client.call('POST', '/api/v1/workflows/validate', { raw, headers: { 'content-type': type } })

const viewers: HostileInput[] = [
  byViewer(
    'YAML with a mebibyte of keys',
    200,
    validate(
      text(mib - 20, (i) => `k${i}: 1\n`),
      'application/yaml',
    ),
  ),
  byViewer('YAML with aliases', 200, validate(`a: &a 1\n${text(900_000, (i) => `k${i}: *a\n`)}`, 'application/yaml')),
  byViewer('a definition of 8 MiB', 200, validate(`{"name":"w","tasks":${numbers}}`, json['content-type'])),
  byViewer('a search for wildcards', 200, get(`/api/v1/runs?q=${wildcards}&${always}&limit=200`)),
  byViewer('a minute for each of 130 years', 422, get(`/api/v1/stats?${always}&bucket=minute`)),
  byViewer('the tasks of 130 years', 200, get(`/api/v1/stats/tasks?${always}&order=failures`)),
]

const admins: HostileInput[] = [
  byAdmin('users by wildcards', 200, get(`/api/v1/users?q=${wildcards}&limit=200`)),
  byAdmin('the audit log of all projects', 200, get(`/api/v1/audit?allProjects=true&target=${wildcards}&${always}`)),
  byAdmin('the whole audit log verified', 200, get('/api/v1/audit/verify')),
  byAdmin('8 MiB of quotas', 422, (client) =>
    client.call('PATCH', `/api/v1/projects/${uniqueName('none')}`, { raw: `{"quotas":${numbers}}`, headers: json }),
  ),
  byAdmin('a name of 7 MiB for a user', 422, (client) =>
    client.call('PATCH', '/api/v1/users/00000000-0000-7000-8000-000000000000', {
      body: { disabled: 'x'.repeat(7 * mib) },
    }),
  ),
]

export const hostileRoles: HostileInput[] = [...viewers, ...admins]
