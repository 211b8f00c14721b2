import type { Route } from '@millrace/routes'
import type express from 'express'
import type { JsonReply, RouteReply } from './types.js'

const streamTypes = { sse: 'text/event-stream', ndjson: 'application/x-ndjson', binary: 'application/octet-stream' }

export async function sendReply(res: express.Response, reply: RouteReply, route: Route): Promise<void> {
  if (!('stream' in reply)) return sendJson(res, reply)
  if (res.req.method === 'HEAD' && route.stream !== 'binary') {
    // A live stream has no body to describe: the headers say all there is.
    if (route.stream) res.setHeader('content-type', streamTypes[route.stream])
    res.end()
    return
  }
  await reply.stream(res)
  if (!res.writableEnded) res.end()
}

export function sendJson(res: express.Response, { status, body, headers }: JsonReply): void {
  if (headers) for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
  res.statusCode = status
  if (body === undefined || status === 204 || status === 304) {
    res.end()
    return
  }
  const raw = typeof body === 'string' || Buffer.isBuffer(body)
  if (raw && res.hasHeader('content-type')) {
    res.setHeader('content-length', Buffer.byteLength(body))
    res.end(body)
    return
  }
  const text = JSON.stringify(body)
  if (!res.hasHeader('content-type')) res.setHeader('content-type', 'application/json')
  res.setHeader('content-length', Buffer.byteLength(text))
  res.end(text)
}
