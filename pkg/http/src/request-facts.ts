import type express from 'express'
import { v7 } from 'uuid'

/** One's own id is taken from the gateway; anything odd is replaced, so that logs and answers stay clean. */
export function requestIdOf(req: express.Request): string {
  const given = req.headers['x-request-id']
  return typeof given === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : v7()
}

/** The gateway appends the address it saw; what stands before that is the caller's claim. */
export function clientAddressOf(req: express.Request): string {
  const forwarded = req.headers['x-forwarded-for']
  const last = typeof forwarded === 'string' ? forwarded.split(',').at(-1)?.trim() : undefined
  return last !== undefined && /^[0-9a-fA-F.:]{2,45}$/.test(last) ? last : (req.socket.remoteAddress ?? '')
}

export interface Target {
  path: string
  search: string
}

export function targetOf(req: express.Request): Target {
  const url = req.url
  const mark = url.indexOf('?')
  return mark < 0 ? { path: url, search: '' } : { path: url.slice(0, mark), search: url.slice(mark + 1) }
}
