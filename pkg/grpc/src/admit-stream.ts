import { rateLimited } from '@millrace/errors'
import type { ServerCallContext } from './call-context.js'
import type { Method, ServerScope } from './server-call.js'

const RETRY_SECONDS = 5
const nothing = (): void => undefined

/**
 * Takes a place for a stream of somebody outside, or throws; resolves to what gives the place back. Services have no
 * project of their own and are not counted. A worker's streams have a bound of their own: those who watch runs must not
 * be able to keep workers from their tasks, nor a large fleet its project from watching.
 */
export async function admitStream(
  { auth, workerStreams }: ServerScope,
  { ofWorkers }: Method,
  { identity }: ServerCallContext,
): Promise<() => void> {
  if (auth.kind !== 'public' || identity === undefined) return nothing
  if (!ofWorkers) return (await auth.openStream?.(identity.projectId)) ?? nothing
  const release = workerStreams.take(identity.projectId)
  if (!release)
    throw rateLimited('too_many_streams', 'The workers of the project have too many streams open.', RETRY_SECONDS)
  return release
}
