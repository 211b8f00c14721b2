import { AppError, malformed, tooLarge, unprocessable, unsupportedMediaType } from '@millrace/errors'
import type { Route, RouteBody } from '@millrace/routes'
import express from 'express'
import { assertShallow, assertStorable } from './text-guard.js'

export const MAX_BODY_BYTES = 8 * 1024 * 1024
const JSON_TYPE = 'application/json'

export interface ReadBody {
  /** What the handler gets. */
  value: unknown
  contentType: string | undefined
  /** As it came over the wire, after decompression; empty when none came. */
  bytes: Buffer
}

export type BodyReader = (req: express.Request, res: express.Response) => Promise<ReadBody>

const nothing: ReadBody = { value: undefined, contentType: undefined, bytes: Buffer.alloc(0) }

export function createBodyReader(route: Route): BodyReader {
  const { body } = route
  if (!body) return () => Promise.resolve(nothing)
  if (body.binary) return (req) => Promise.resolve({ ...nothing, contentType: mediaType(req)?.type })
  const accepted = body.contentTypes ?? [JSON_TYPE]
  const raw = express.raw({ type: () => true, limit: body.maxBytes ?? MAX_BODY_BYTES })
  return async (req, res) => {
    if (!hasBody(req)) return withoutBody(body)
    const media = mediaType(req)
    if (!media || !accepted.includes(media.type)) {
      throw unsupportedMediaType('unsupported_media_type', `The body must be ${accepted.join(' or ')}.`)
    }
    if (media.charset !== undefined && !['utf-8', 'utf8', 'us-ascii'].includes(media.charset)) {
      throw unsupportedMediaType('unsupported_charset', 'The body must be encoded in UTF-8.')
    }
    const bytes = await readBytes(raw, req, res)
    if (bytes.byteLength === 0) return withoutBody(body)
    const value = accepted.every((type) => type === JSON_TYPE)
      ? parseJson(bytes, body)
      : asText(bytes, media.type, body)
    return { value, contentType: media.type, bytes }
  }
}

const hasBody = (req: express.Request) =>
  req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0

function withoutBody(body: RouteBody): ReadBody {
  if (body.required === false) return nothing
  throw malformed('body_required', 'A request body is required.')
}

function mediaType(req: express.Request): { type: string; charset: string | undefined } | undefined {
  const header = req.headers['content-type']
  if (header === undefined) return undefined
  const type = header.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return { type, charset: /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(header)?.[1]?.toLowerCase() }
}

function readBytes(raw: express.RequestHandler, req: express.Request, res: express.Response): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const done = (error?: unknown) => {
      if (error) reject(bodyError(error))
      else resolve(Buffer.isBuffer(req.body) ? req.body : nothing.bytes)
    }
    void raw(req, res, done)
  })
}

function bodyError(error: unknown): AppError {
  const type = typeof error === 'object' && error !== null && 'type' in error ? String(error.type) : ''
  if (type === 'entity.too.large') return tooLarge('body_too_large', 'The request body is too large.')
  if (type === 'encoding.unsupported') {
    return unsupportedMediaType('unsupported_encoding', 'The content encoding is not supported.')
  }
  if (type === 'request.aborted') return new AppError('cancelled', 'request_aborted', 'The request was aborted.')
  return malformed('malformed_body', 'The request body cannot be read.', error)
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw malformed('malformed_body', 'The request body is not valid UTF-8.', error)
  }
}

function parseJson(bytes: Buffer, body: RouteBody): unknown {
  const source = decode(bytes)
  assertShallow(source)
  let value: unknown
  try {
    value = JSON.parse(source)
  } catch (error) {
    throw malformed('malformed_json', 'The request body is not valid JSON.', error)
  }
  assertStorable(value, source, body.schema)
  return value
}

const textual = (type: string) => type.startsWith('text/') || /[/+](json|ya?ml|x-yaml|xml)$/.test(type)

function asText(bytes: Buffer, type: string, body: RouteBody): unknown {
  if (!textual(type)) return bytes
  const text = decode(bytes)
  if (body.schema?.['x-user-json'] !== true && text.includes('\0')) {
    throw unprocessable('invalid_request', 'The request body must not contain a NUL character.')
  }
  return text
}
