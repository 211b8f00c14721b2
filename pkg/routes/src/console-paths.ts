/**
 * The console has every path that the API and operations do not keep for themselves, so that its own addresses work when
 * they are opened directly. `/api` is kept in any case of its letters: a mistyped call gets a problem document, no page.
 */
const guarded = ['[aA][pP][iI]', 'docs', '\\.well-known', 'healthz', 'readyz']

/** What nobody knows below these paths still needs an identity. */
export const guardedPattern = `/(?:${guarded.join('|')})(?:/.*)?`

/** Carries a one-time token, which the gateways leave out of their access logs. */
export const consoleTokenPath = '/invitations/'

const reserved = new RegExp(`^(?:${guardedPattern}|/metrics(?:/.*)?)$`)

export const isConsolePath = (path: string): boolean => !reserved.test(path)
