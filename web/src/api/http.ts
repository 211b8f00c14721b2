import { OfflineError } from './problem'
import { accessToken, renewedToken } from './session'

/** `fetch` with the session's token; a token that the API no longer takes is renewed once and the request sent again. */
export async function authorizedFetch(request: Request): Promise<Response> {
  const token = await accessToken()
  const first = await send(request.clone(), token)
  if (first.status !== 401 || token === undefined) return first
  const renewed = await renewedToken(token)
  return renewed === undefined ? first : send(request, renewed)
}

async function send(request: Request, token: string | undefined): Promise<Response> {
  if (token !== undefined) request.headers.set('authorization', `Bearer ${token}`)
  try {
    return await fetch(request)
  } catch (error) {
    if (request.signal.aborted) throw error
    throw new OfflineError(error)
  }
}
