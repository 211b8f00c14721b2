import { pipeline } from 'node:stream/promises'
import { problemOf, type RouteReply, type RouteRequest } from '@millrace/http'
import type { OpenContent } from '@millrace/object-store'
import type { AppContext } from '../context.js'
import type { CompleteArtifact } from '../domain/artifact.js'
import { artifactNotFound } from '../domain/artifact-errors.js'
import { type ByteRange, type RangeAnswer, resolveRange } from '../domain/byte-range.js'
import { attachment } from '../domain/content-disposition.js'

const etagOf = (artifact: CompleteArtifact): string => `"${artifact.sha256}"`

/** Whatever a file claims to be, a browser must not run it on our origin. */
function contentHeaders(artifact: CompleteArtifact): Record<string, string> {
  return {
    'content-type': artifact.contentType,
    'content-disposition': attachment(artifact.name),
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-store',
    etag: etagOf(artifact),
  }
}

function rangeFor(req: RouteRequest, artifact: CompleteArtifact): RangeAnswer {
  const condition = req.headers['if-range']
  // A date cannot tell two versions apart for certain; the digest can.
  if (condition !== undefined && condition !== etagOf(artifact)) return { kind: 'whole' }
  return resolveRange(req.headers.range, artifact.size)
}

function unsatisfiable(req: RouteRequest, size: number): RouteReply {
  const detail = `The file has ${size} bytes.`
  return {
    status: 416,
    headers: { 'content-type': 'application/problem+json', 'content-range': `bytes */${size}` },
    body: problemOf(416, 'range_not_satisfiable', detail, req.requestId),
  }
}

export async function sendContent(ctx: AppContext, req: RouteRequest, artifact: CompleteArtifact): Promise<RouteReply> {
  const wanted = rangeFor(req, artifact)
  if (wanted.kind === 'unsatisfiable') return unsatisfiable(req, artifact.size)
  const range = wanted.kind === 'part' ? wanted.range : undefined
  const content = await ctx.store.get(artifact.objectKey, range)
  if (content === undefined) throw artifactNotFound()
  return { stream: () => stream(req, artifact, content, range) }
}

async function stream(
  req: RouteRequest,
  artifact: CompleteArtifact,
  content: OpenContent,
  range: ByteRange | undefined,
): Promise<void> {
  const { res } = req.raw
  const length = range === undefined ? artifact.size : range.end - range.start + 1
  res.writeHead(range === undefined ? 200 : 206, {
    ...contentHeaders(artifact),
    'content-length': length,
    ...(range === undefined ? {} : { 'content-range': `bytes ${range.start}-${range.end}/${artifact.size}` }),
  })
  if (req.raw.req.method === 'HEAD') {
    content.stream.destroy()
    res.end()
    return
  }
  try {
    await pipeline(content.stream, res)
  } catch (error) {
    // The reader went away: nobody is left to be told.
    if (!req.signal.aborted) throw error
  }
}
