import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { ServiceFetch } from '@millrace/identity'
import { ExecutionFailure } from '../execution/execution-failure.js'
import type { ExecutionContext } from '../executors/executor.js'

export interface StoredFile {
  id: string
  size: number
}

/** Files of the runs in which this worker holds a lease. */
export interface Artifacts {
  read(id: string, ctx: ExecutionContext): Promise<Readable>
  write(name: string, content: Readable, size: number, ctx: ExecutionContext): Promise<StoredFile>
}

export interface ArtifactClientOptions {
  /** The artifact service itself for the platform's own worker, the gateway for a project's. */
  baseUrl: string
  fetch: ServiceFetch
  /** The header that says who calls. */
  identity: () => Record<string, string>
}

export function createArtifactClient({ baseUrl, fetch, identity }: ArtifactClientOptions): Artifacts {
  const root = `${baseUrl.replace(/(?<!\/)\/+$/, '')}/api/v1/artifacts`
  const call = async (ctx: ExecutionContext, method: string, path: string, init: RequestInit = {}) => {
    const headers = { ...identity(), 'x-millrace-session': ctx.sessionId, ...(init.headers as Record<string, string>) }
    try {
      return await answered(
        await fetch(root + path, { ...init, method, headers, signal: ctx.signal, redirect: 'error' }),
      )
    } catch (error) {
      if (error instanceof ExecutionFailure || ctx.signal.aborted) throw error
      throw new ExecutionFailure('The artifact service cannot be reached', {
        class: 'network',
        code: 'artifacts_unavailable',
        cause: error,
      })
    }
  }
  return {
    async read(id, ctx) {
      const { body } = await call(ctx, 'GET', `/${encodeURIComponent(id)}/content`)
      return body ? Readable.fromWeb(body as ReadableStream) : Readable.from([])
    },
    async write(name, content, size, ctx) {
      const { runId, key } = ctx.lease
      const created = await call(ctx, 'POST', '', {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name, runId, task: key, size }),
      })
      const { id } = (await created.json()) as { id: string }
      const put = await call(ctx, 'PUT', `/${id}/content`, {
        headers: { 'content-type': 'application/octet-stream', 'content-length': String(size) },
        body: Readable.toWeb(content) as unknown as NonNullable<RequestInit['body']>,
        ...({ duplex: 'half' } as object),
      })
      await put.arrayBuffer()
      return { id, size }
    },
  }
}

async function answered(response: Response): Promise<Response> {
  if (response.ok) return response
  const { status } = response
  const problem = (await response.json().catch(() => ({}))) as { detail?: unknown }
  const detail = typeof problem.detail === 'string' ? `: ${problem.detail}` : ''
  throw new ExecutionFailure(`The artifact service answered ${status}${detail}`, {
    class: status >= 500 ? 'http_5xx' : 'validation',
    code: 'artifact_refused',
  })
}
