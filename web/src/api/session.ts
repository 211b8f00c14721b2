import { useSyncExternalStore } from 'react'
import { errorOf, isStatus, OfflineError } from './problem'

/**
 * Who is signed in. The access token lives in this module's memory alone; the refresh token is in a cookie that scripts
 * cannot read.
 */
export type SessionState = 'unknown' | 'signed-in' | 'signed-out' | 'expired'

interface Tokens {
  accessToken: string
  expiresIn: number
}

/** Renewed this long before its end, so that no request leaves with a token that ends on the way. */
const marginMs = 20_000
const lockName = 'millrace-session'
const consoleHeader = { 'X-Millrace-Console': '1' }

let state: SessionState = 'unknown'
let token: { value: string; endsAt: number } | undefined
let renewing: Promise<string | undefined> | undefined
const listeners = new Set<() => void>()

function setState(next: SessionState): void {
  if (state === next) return
  state = next
  for (const listener of listeners) listener()
}

export const useSession = (): SessionState =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => state,
  )

/** False while nobody is signed in: streams that were refused then begin again once somebody is. */
export const useSignedIn = (): boolean => {
  const session = useSession()
  return session !== 'expired' && session !== 'signed-out'
}

async function post(path: string, body?: unknown): Promise<Response> {
  try {
    return await fetch(`/api/v1/auth/${path}`, {
      method: 'POST',
      credentials: 'same-origin',
      headers: { ...consoleHeader, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  } catch (error) {
    throw new OfflineError(error)
  }
}

async function keep(response: Response): Promise<string> {
  if (!response.ok) throw await errorOf(response)
  const { accessToken, expiresIn } = (await response.json()) as Tokens
  token = { value: accessToken, endsAt: Date.now() + expiresIn * 1_000 }
  setState('signed-in')
  return accessToken
}

export async function signIn(email: string, password: string): Promise<void> {
  await keep(await post('login', { email, password, session: 'cookie' }))
}

export async function signOut(): Promise<void> {
  await post('logout')
  token = undefined
  setState('signed-out')
}

/**
 * The lock is the browser's, across tabs: a refresh token is good for one use, and two tabs that send the same one would
 * look like theft and end the session for both.
 */
async function renewLocked(): Promise<string | undefined> {
  try {
    return await navigator.locks.request(lockName, async () => keep(await post('refresh')))
  } catch (error) {
    if (!isStatus(error, 401) && !isStatus(error, 403)) throw error
    token = undefined
    setState(state === 'signed-in' || state === 'expired' ? 'expired' : 'signed-out')
    return undefined
  } finally {
    renewing = undefined
  }
}

function renew(): Promise<string | undefined> {
  renewing ??= renewLocked()
  return renewing
}

/** Undefined: nobody is signed in. */
export async function accessToken(): Promise<string | undefined> {
  if (token && token.endsAt - marginMs > Date.now()) return token.value
  return state === 'signed-out' || state === 'expired' ? undefined : renew()
}

/** After the session ended here: whether the browser has a new one, of another tab. */
export const resumeSession = async (): Promise<boolean> => state === 'expired' && (await renew()) !== undefined

/** Called when the API refused `refused`: another request may have renewed it since. */
export function renewedToken(refused: string): Promise<string | undefined> {
  if (token && token.value !== refused) return Promise.resolve(token.value)
  token = undefined
  return renew()
}
