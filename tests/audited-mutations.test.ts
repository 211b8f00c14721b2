import { routes } from '@millrace/routes'
import { waitFor } from '@millrace/testkit'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Account, Client, login, newUser, uniqueName } from './support/client.js'
import { notAudited, Recorder } from './support/mutations.js'
import { startTarget, type Target, targetIsOwn } from './support/target.js'

/** Every route that changes something is called once, with success, and must be found in the audit log by its request. */
const recorder = new Recorder()
const { act } = { act: recorder.act.bind(recorder) }
let target: Target
let admin: Client
let owner: Account
let me: Client

beforeAll(async () => {
  target = await startTarget()
  admin = await login(target, target.admin)
  owner = await newUser(target)
  me = owner.client
  await accounts()
  await projects()
  await workflows()
  await runs()
  await queues()
  await subscriptions()
  await artifacts()
  await shared()
}, 240_000)

afterAll(() => target?.close())

const tokenIn = (mail: string): string =>
  /(?:[?]token=(?:3D)?|\/invitations\/)([A-Za-z0-9_-]{20,})/.exec(mail.replaceAll(/=\r?\n/g, ''))?.[1] ?? 'no token'

async function accounts(): Promise<void> {
  const anonymous = new Client(target.url)
  const email = `${uniqueName('user')}@example.test`
  const password = `pw ${uniqueName('x')}`
  const { user } = await act<{ user: { id: string } }>('register', anonymous, 'POST', '/api/v1/auth/register', {
    email,
    password,
  })
  await act('verifyEmail', anonymous, 'POST', '/api/v1/auth/verify', {
    token: tokenIn(await target.mail.waitForMail(email, '/verify?token')),
  })
  const session = () => act('login', anonymous, 'POST', '/api/v1/auth/login', { email, password })
  const first = await session()
  const second = await session()
  const client = anonymous.as(second.accessToken)
  await act('refresh', anonymous, 'POST', '/api/v1/auth/refresh', { refreshToken: first.refreshToken })
  const { items } = await client.get<{ items: { id: string; current?: boolean }[] }>('/api/v1/auth/sessions')
  const other = items.find(({ current }) => !current) ?? items[0]
  await act('deleteSession', client, 'DELETE', `/api/v1/auth/sessions/${other?.id}`)
  await act('changePassword', client, 'POST', '/api/v1/auth/password', { current: password, new: `${password} 2` })
  const third = await act('login', anonymous, 'POST', '/api/v1/auth/login', { email, password: `${password} 2` })
  await act('logout', anonymous, 'POST', '/api/v1/auth/logout', { refreshToken: third.refreshToken })
  const forgetful = await newUser(target)
  await act('forgotPassword', anonymous, 'POST', '/api/v1/auth/password/forgot', { email: forgetful.email })
  const token = tokenIn(await target.mail.waitForMail(forgetful.email, '/reset?token'))
  await act('resetPassword', anonymous, 'POST', '/api/v1/auth/password/reset', { token, new: `${password} 3` })
  await act('updateUser', admin, 'PATCH', `/api/v1/users/${user.id}`, { disabled: true })
  await act('rotateSigningKey', admin, 'POST', '/api/v1/signing-keys')
}

async function projects(): Promise<void> {
  const guest = await newUser(target)
  const slug = uniqueName('p').slice(0, 30)
  await act('createProject', me, 'POST', '/api/v1/projects', { slug, name: 'One' })
  const at = `/api/v1/projects/${slug}`
  await act('updateProject', me, 'PATCH', at, { name: 'Two' })
  const nobody = `${uniqueName('nobody')}@example.test`
  const { id } = await act('createInvitation', me, 'POST', `${at}/invitations`, { email: nobody, role: 'viewer' })
  await act('deleteInvitation', me, 'DELETE', `${at}/invitations/${id}`)
  await act('createInvitation', me, 'POST', `${at}/invitations`, { email: guest.email, role: 'viewer' })
  const token = tokenIn(await target.mail.waitForMail(guest.email, '/invitations/'))
  await act('acceptInvitation', guest.client, 'POST', `/api/v1/invitations/${token}/accept`)
  await act('putMember', me, 'PUT', `${at}/members`, { userId: guest.id, role: 'operator' })
  await act('putMemberById', me, 'PUT', `${at}/members/${guest.id}`, { role: 'editor' })
  await act('leaveProject', guest.client.in(slug), 'POST', `${at}/leave`)
  await act('putMember', admin, 'PUT', `${at}/members`, { userId: guest.id, role: 'viewer' })
  await act('deleteMember', me, 'DELETE', `${at}/members/${guest.id}`)
  await act('putMember', admin, 'PUT', `${at}/members`, { userId: guest.id, role: 'editor' })
  await act('transferProject', me, 'POST', `${at}/transfer`, { userId: guest.id })
  await act('deleteProject', guest.client, 'DELETE', at)
  const key = await act('createApiKey', me, 'POST', '/api/v1/api-keys', { name: 'k', role: 'viewer' })
  await act('deleteApiKey', me, 'DELETE', `/api/v1/api-keys/${key.id}`)
  const account = await act('createServiceAccount', me, 'POST', '/api/v1/service-accounts', {
    name: 's',
    role: 'viewer',
  })
  await act('deleteServiceAccount', me, 'DELETE', `/api/v1/service-accounts/${account.id}`)
  await act('putSecret', me, 'PUT', '/api/v1/secrets/one', { value: 'a value' })
  await act('deleteSecret', me, 'DELETE', '/api/v1/secrets/one')
}

async function workflows(): Promise<void> {
  const name = uniqueName('wf')
  const at = `/api/v1/workflows/${name}`
  const definition = { name, tasks: { a: { uses: 'noop' } } }
  await act('createWorkflow', me, 'POST', '/api/v1/workflows', definition)
  await act('putWorkflow', me, 'PUT', at, { ...definition, description: 'changed' })
  await act('pauseWorkflow', me, 'POST', `${at}/pause`)
  await act('resumeWorkflow', me, 'POST', `${at}/resume`)
  await act('startRun', me, 'POST', `${at}/runs`, {})
  await act('startRuns', me, 'POST', `${at}/runs/batch`, { items: [{}, {}] })
  const hook = await act('createHook', me, 'POST', `${at}/hooks`, {})
  await act('receiveHook', new Client(target.url), 'POST', `/api/v1/hooks/${hook.token}`, {})
  await act('deleteHook', me, 'DELETE', `${at}/hooks/${hook.id}`)
  const schedule = await act('createSchedule', me, 'POST', '/api/v1/schedules', { workflow: name, cron: '0 0 1 1 *' })
  const one = `/api/v1/schedules/${schedule.id}`
  await act('updateSchedule', me, 'PATCH', one, { paused: true })
  await act('backfillSchedule', me, 'POST', `${one}/backfill`, {
    from: '2025-12-31T00:00:00Z',
    to: '2026-01-02T00:00:00Z',
  })
  await act('runSchedule', me, 'POST', `${one}/run`)
  await act('deleteSchedule', me, 'DELETE', one)
  await act('scheduleTask', me, 'POST', '/api/v1/tasks/schedule', { type: 'noop', payload: {} })
  const draft = await act('createDraft', me, 'POST', '/api/workflows', { name: uniqueName('draft') })
  await act('addDraftTask', me, 'POST', '/api/tasks', { workflowId: draft.id, name: 'a', uses: 'noop' })
  await act('startDraft', me, 'POST', `/api/workflows/${draft.id}/start`, {})
  await act('deleteWorkflow', me, 'DELETE', at)
}

async function runs(): Promise<void> {
  const sleeping = await me.runTasks({ a: { uses: 'sleep', with: { duration: '5m' } } })
  const at = `/api/v1/runs/${sleeping.id}`
  await me.runUntil(sleeping.id, 'begun', ({ status }) => status === 'running')
  await act('pauseRun', me, 'POST', `${at}/pause`)
  await act('resumeRun', me, 'POST', `${at}/resume`)
  await act('cancelRun', me, 'POST', `${at}/cancel`)
  await me.ended(sleeping.id)
  const waiting = await me.runTasks({
    yes: { uses: 'approval' },
    no: { uses: 'approval', onFailure: 'continue' },
    word: { uses: 'signal', with: { name: 'go' } },
  })
  await me.runUntil(waiting.id, 'waiting', ({ tasks }) => tasks.every(({ status }) => status === 'waiting'))
  await act('approveTask', me, 'POST', `/api/v1/runs/${waiting.id}/tasks/yes/approve`, {})
  await act('rejectTask', me, 'POST', `/api/v1/runs/${waiting.id}/tasks/no/reject`, {})
  await act('sendSignal', me, 'POST', `/api/v1/runs/${waiting.id}/signals/go`, { payload: 1 })
  const failing = { a: { uses: 'fail', retry: { maxAttempts: 1 } } }
  const failed = await Promise.all([1, 2, 3, 4].map(() => me.runTasks(failing)))
  for (const { id } of failed) await me.ended(id)
  const letters = await waitFor(async () => {
    const { items } = await me.get<{ items: { id: string; runId: string }[] }>('/api/v1/dlq')
    return items.length >= 4 ? items : undefined
  })
  const letterOf = (run: number) => letters.find(({ runId }) => runId === failed[run]?.id)?.id
  await act('retryRun', me, 'POST', `/api/v1/runs/${failed[0]?.id}/retry`)
  await act('rerunRun', me, 'POST', `/api/v1/runs/${failed[0]?.id}/rerun`, {})
  await act('retryDeadLetter', me, 'POST', `/api/v1/dlq/${letterOf(1)}/retry`, {})
  await act('retryDeadLetters', me, 'POST', '/api/v1/dlq/retry', { ids: [letterOf(2)] })
  await act('deleteDeadLetter', me, 'DELETE', `/api/v1/dlq/${letterOf(3)}`)
  await act('bulkRuns', me, 'POST', '/api/v1/runs/bulk', { action: 'cancel', ids: [waiting.id] })
}

async function queues(): Promise<void> {
  await act('pauseQueue', me, 'POST', '/api/v1/queues/other/pause')
  await act('resumeQueue', me, 'POST', '/api/v1/queues/other/resume')
  await act('updateQueue', me, 'PATCH', '/api/v1/queues/other', { weight: 2 })
}

async function subscriptions(): Promise<void> {
  const channel = { type: 'webhook', url: target.sink.url }
  const made = await act('createSubscription', me, 'POST', '/api/v1/subscriptions', {
    events: ['workflow.completed'],
    channel,
  })
  const at = `/api/v1/subscriptions/${made.id}`
  await act('testSubscription', me, 'POST', `${at}/test`)
  const sent = await waitFor(async () => {
    const { items } = await me.get<{ items: { id: string; status: string }[] }>('/api/v1/notifications')
    return items.find(({ status }) => status === 'delivered')
  })
  await act('redeliverNotification', me, 'POST', `/api/v1/notifications/${sent.id}/redeliver`)
  await act('rotateSubscriptionSecret', me, 'POST', `${at}/rotate-secret`)
  await act('updateSubscription', me, 'PATCH', at, { enabled: false })
  await act('deleteSubscription', me, 'DELETE', at)
}

async function artifacts(): Promise<void> {
  const content = Buffer.from('some content')
  const put = (url: string) => (url.startsWith('/') ? url : new URL(url).pathname + new URL(url).search)
  const one = await act('createArtifact', me, 'POST', '/api/v1/artifacts', { name: 'one.txt', size: content.length })
  await act('putSignedArtifact', new Client(target.url), 'PUT', put(one.uploadUrl ?? ''), content)
  await act('completeArtifact', me, 'POST', `/api/v1/artifacts/${one.id}/complete`, {})
  const two = await act('createArtifact', me, 'POST', '/api/v1/artifacts', { name: 'two.txt' })
  await act('putArtifactContent', me, 'PUT', `/api/v1/artifacts/${two.id}/content`, content)
  await act('deleteArtifact', me, 'DELETE', `/api/v1/artifacts/${two.id}`)
}

/** The built-in worker is everybody's: it is drained at the very end. */
async function shared(): Promise<void> {
  const { items } = await admin.get<{ items: { id: string }[] }>('/api/v1/workers')
  const at = `/api/v1/workers/${items[0]?.id}`
  await act('pauseWorker', admin, 'POST', `${at}/pause`)
  await act('resumeWorker', admin, 'POST', `${at}/resume`)
  await act('drainWorker', admin, 'POST', `${at}/drain`)
}

const changing = routes.filter(({ method }) => method !== 'GET').map(({ operationId }) => operationId)

describe('every route that changes something', () => {
  test('is called here, or is on the list of those that are not recorded', () => {
    const called = new Set(recorder.done.map(({ operation }) => operation))
    expect(changing.filter((operation) => !called.has(operation) && !(operation in notAudited))).toEqual([])
    expect(Object.keys(notAudited).filter((operation) => !changing.includes(operation))).toEqual([])
  })

  test('was called with success', () => {
    expect(recorder.done.filter(({ status }) => status >= 300)).toEqual([])
  })

  test('stands in the audit log under its request', { timeout: 60_000 }, async () => {
    const wanted = recorder.done.filter(({ operation }) => !(operation in notAudited))
    const missing = async () => {
      const all = await admin.all<{ requestId: string }>('/api/v1/audit?allProjects=true')
      const found = new Set(all.map(({ requestId }) => requestId))
      return wanted.filter(({ requestId }) => !found.has(requestId)).map(({ operation }) => operation)
    }
    await waitFor(async () => (await missing()).length === 0, { timeoutMs: 15_000 }).catch(() => undefined)
    expect(await missing()).toEqual([])
  })

  test.runIf(targetIsOwn)('is an event that others can read, with the id and the words of the entry', async () => {
    const entries = await admin.all<Record<string, unknown>>('/api/v1/audit?allProjects=true')
    const pool = new pg.Pool({ connectionString: target.standalone?.databaseUrl(), max: 1 })
    onTestFinished(() => pool.end())
    const { rows } = await pool.query<{ id: string; data: Record<string, unknown> }>(
      `select event_id as id, data from events.log where topic = 'audit.recorded'`,
    )
    const events = new Map(rows.map(({ id, data }) => [id, data]))
    expect(entries.length).toBeGreaterThan(50)
    for (const { id, actor, action, target: about, requestId, outcome } of entries)
      expect(events.get(String(id)), `${action}`).toMatchObject({ actor, action, target: about, requestId, outcome })
  })
})
