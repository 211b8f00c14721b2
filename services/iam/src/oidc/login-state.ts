import { derived, type SealingKeys, seal, unsealAny } from '../security/seal.js'

/** Of one login that is under way: known to the browser that began it and to nobody else. */
export interface LoginState {
  provider: string
  state: string
  nonce: string
  codeVerifier: string
  /** The page of the console that it leads back to; not in what an iam of the release before sealed. */
  to?: string
  /** Epoch milliseconds. */
  until: number
}

export const STATE_LIFE_MS = 10 * 60_000
const CONTEXT = 'oidc/login-state'

/** Sealed into a cookie: no table to fill for whoever asks, and a callback in another browser has nothing to open. */
export class LoginStates {
  private readonly keys: SealingKeys

  constructor(masterKeys: SealingKeys) {
    this.keys = derived(masterKeys, 'millrace/iam/oidc-state')
  }

  seal(state: Omit<LoginState, 'until'>, nowMs: number): string {
    return seal(this.keys[0], CONTEXT, JSON.stringify({ ...state, until: nowMs + STATE_LIFE_MS })).toString('base64url')
  }

  /** Undefined when it is missing, changed or too old. */
  open(cookie: string | undefined, nowMs: number): LoginState | undefined {
    if (cookie === undefined || cookie.length > 4096) return undefined
    try {
      const state = JSON.parse(unsealAny(this.keys, CONTEXT, Buffer.from(cookie, 'base64url'))) as LoginState
      return state.until > nowMs ? state : undefined
    } catch {
      return undefined
    }
  }
}
