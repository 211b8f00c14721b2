import type { Client } from './client.js'

/** Routes that change something for others, and why nothing of them stands in the audit log. */
export const notAudited: Record<string, string> = {
  validateWorkflow: 'changes nothing',
  refresh: 'the same session goes on; a reused token is recorded',
  forgotPassword: 'anybody may ask for any address; what comes of the link is recorded',
  addDraftTask: 'a draft is nobody else’s until it is published, which is recorded',
  addDraftDependency: 'as addDraftTask',
  createArtifactParts: 'a step of an upload whose beginning and end are recorded',
  putSignedArtifact: 'a step of an upload by whoever holds its URL; its beginning and its end are recorded',
  presignArtifact: 'gives out a URL to read one object, which the caller may read anyway',
}

export interface Done {
  operation: string
  status: number
  requestId: string
  text: string
}

/** Makes calls and keeps what their answers are known by. */
export class Recorder {
  readonly done: Done[] = []

  async act<T = Record<string, string>>(
    operation: string,
    client: Client,
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<T> {
    const raw = Buffer.isBuffer(body) ? { raw: body } : body === undefined ? {} : { body }
    const reply = await client.call<T>(method, path, { ...raw, headers })
    const requestId = reply.headers.get('x-request-id') ?? ''
    this.done.push({ operation, status: reply.status, requestId, text: reply.text.slice(0, 300) })
    return reply.body
  }
}
