import { memberRoles, type Role } from '@millrace/identity'
import type { Access, Route, RouteMatch } from '@millrace/routes'
import { describe, expect, test } from 'vitest'
import { authorise } from './authorise.js'
import { type KeyCredential, NO_PROJECT, type UserCredential } from './credential.js'

const user = (change: Partial<UserCredential> = {}): UserCredential => ({
  kind: 'user',
  subject: 'user:u',
  userId: 'u',
  email: 'u@example.org',
  sessionId: 's',
  admin: false,
  memberships: [
    { projectId: 'p1', slug: 'one', role: 'viewer' },
    { projectId: 'p2', slug: 'two', role: 'owner' },
  ],
  defaultProjectId: 'p2',
  expiresAt: 1,
  ...change,
})

const key = (role: Role): KeyCredential => ({
  kind: 'key',
  subject: 'key:k',
  keyId: 'k',
  makerId: 'u',
  projectId: 'p1',
  slug: 'one',
  role,
  expiresAt: 1,
})

const route = (access: Access, change: Partial<Route> = {}, params: Record<string, string> = {}): RouteMatch => ({
  route: {
    operationId: 'x',
    service: 'iam',
    method: 'GET',
    path: '/x',
    access,
    summary: '',
    tag: '',
    responses: {},
    ...change,
  },
  params,
})

const codeOf = (run: () => unknown): string => {
  try {
    run()
    return 'allowed'
  } catch (error) {
    return (error as { code: string }).code
  }
}

describe('roles', () => {
  const order: readonly Role[] = memberRoles
  test.each(order.flatMap((role) => memberRoles.map((needed) => [role, needed] as const)))(
    'a key of role %s on a route for %s',
    (role, needed) => {
      const expected = order.indexOf(role) >= order.indexOf(needed) ? 'allowed' : 'permission_denied'
      expect(codeOf(() => authorise(route(needed), key(role)))).toBe(expected)
    },
  )

  test('a worker is let in only where workers are', () => {
    expect(codeOf(() => authorise(route('viewer'), key('worker')))).toBe('permission_denied')
    expect(codeOf(() => authorise(route('editor', { workers: true }), key('worker')))).toBe('allowed')
    expect(codeOf(() => authorise(route('editor', { workers: true }), key('viewer')))).toBe('permission_denied')
    expect(codeOf(() => authorise(route('user'), key('worker')))).toBe('allowed')
  })

  test('admin is a flag of users alone, and gives no role in a project', () => {
    expect(codeOf(() => authorise(route('admin'), user()))).toBe('permission_denied')
    expect(codeOf(() => authorise(route('admin'), user({ admin: true })))).toBe('allowed')
    expect(codeOf(() => authorise(route('admin'), key('owner')))).toBe('permission_denied')
    expect(codeOf(() => authorise(route('owner'), user({ admin: true }), 'one'))).toBe('permission_denied')
    expect(codeOf(() => authorise(route('viewer'), user({ admin: true }), 'other'))).toBe('not_found')
  })
})

describe('projects', () => {
  test('the default one without a header, else the one named', () => {
    expect(authorise(route('viewer'), user())).toMatchObject({ projectId: 'p2', role: 'owner' })
    expect(authorise(route('viewer'), user(), '')).toMatchObject({ projectId: 'p2' })
    expect(authorise(route('viewer'), user(), 'one')).toMatchObject({ projectId: 'p1', role: 'viewer' })
    expect(codeOf(() => authorise(route('viewer'), user(), 'ONE'))).toBe('not_found')
  })

  test('a default that one has left falls back to the oldest membership', () => {
    expect(authorise(route('viewer'), user({ defaultProjectId: 'gone' }))).toMatchObject({ projectId: 'p1' })
  })

  test('a key stays in its project', () => {
    expect(codeOf(() => authorise(route('viewer'), key('owner'), 'two'))).toBe('not_found')
    expect(codeOf(() => authorise(undefined, key('owner'), 'two'))).toBe('not_found')
    expect(authorise(route('viewer'), key('owner'), 'one')).toMatchObject({ projectId: 'p1' })
  })

  test('a path that names its project beats the header', () => {
    const members = route('owner', { projectParam: 'slug' }, { slug: 'one' })
    expect(codeOf(() => authorise(members, user(), 'two'))).toBe('permission_denied')
    const own = route('owner', { projectParam: 'slug' }, { slug: 'two' })
    expect(authorise(own, user(), 'one')).toMatchObject({ projectId: 'p2' })
  })

  test('a user in no project reaches what needs none', () => {
    const alone = user({ memberships: [], defaultProjectId: null })
    expect(authorise(route('user'), alone)).toMatchObject({ projectId: NO_PROJECT, project: '' })
    expect(codeOf(() => authorise(route('viewer'), alone))).toBe('not_found')
    expect(codeOf(() => authorise(route('admin'), alone))).toBe('permission_denied')
    expect(authorise(undefined, alone)).toMatchObject({ projectId: NO_PROJECT })
  })
})

test('an unknown path needs an identity and nothing more', () => {
  expect(authorise(undefined, key('worker'))).toMatchObject({ subject: 'key:k' })
})
