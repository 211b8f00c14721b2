import { createServiceFetch, IDENTITY_HEADER, type ServiceIdentity } from '@millrace/identity'

export interface NewOutput {
  readonly id: string
  readonly projectId: string
  readonly runId: string
  /** Null for a run's own output. */
  readonly task: string | null
  /** JSON text. */
  readonly content: string
}

/** Where large outputs lie. */
export interface ArtifactClient {
  /** Safe to repeat: what was written under an id stays. */
  put(output: NewOutput, timeoutMs: number): Promise<void>
  /** Undefined when somebody has deleted it. Throws when nobody can tell now. */
  get(id: string, projectId: string, timeoutMs: number): Promise<string | undefined>
}

export function createArtifactClient(baseUrl: string, identity: ServiceIdentity): ArtifactClient {
  const root = `${baseUrl.replace(/(?<!\/)\/+$/, '')}/api/v1/artifacts`
  const fetch = createServiceFetch(identity.tls, 'artifact', baseUrl)
  const call = (method: string, path: string, projectId: string, timeoutMs: number, init: RequestInit = {}) =>
    fetch(root + path, {
      ...init,
      method,
      headers: {
        [IDENTITY_HEADER]: identity.tokenFor('artifact'),
        'x-millrace-project-id': projectId,
        ...(init.headers as Record<string, string>),
      },
      signal: AbortSignal.timeout(timeoutMs),
      redirect: 'error',
    })
  return {
    async put({ id, projectId, runId, task, content }, timeoutMs) {
      const body = JSON.stringify({
        runId,
        ...(task === null ? {} : { task }),
        name: 'output.json',
        contentType: 'application/json',
        size: Buffer.byteLength(content),
      })
      const created = await call('POST', '', projectId, timeoutMs, {
        headers: { 'content-type': 'application/json', 'x-millrace-artifact-id': id },
        body,
      })
      await expectStatus(created, [201])
      const written = await call('PUT', `/${id}/content`, projectId, timeoutMs, {
        headers: { 'content-type': 'application/octet-stream' },
        body: content,
      })
      // 409: an earlier try got that far.
      await expectStatus(written, [200, 409])
    },
    async get(id, projectId, timeoutMs) {
      const response = await call('GET', `/${id}/content`, projectId, timeoutMs)
      if (response.status === 404) {
        await response.arrayBuffer()
        return undefined
      }
      return await expectStatus(response, [200])
    },
  }
}

async function expectStatus(response: Response, statuses: readonly number[]): Promise<string> {
  const text = await response.text()
  if (statuses.includes(response.status)) return text
  throw new Error(`the artifact service answered ${response.status}: ${text.slice(0, 300)}`)
}
