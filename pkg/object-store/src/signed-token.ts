import { createHmac, timingSafeEqual } from 'node:crypto'
import { permissionDenied } from '@millrace/errors'
import type { SignedGrant } from './object-store.js'

const invalid = () => permissionDenied('signed_url_invalid', 'The signed URL is not valid.')

const mac = (secret: Buffer, payload: string): Buffer => createHmac('sha256', secret).update(payload).digest()

interface Claims extends SignedGrant {
  expiresAtMs: number
}

export function signToken(secret: Buffer, grant: SignedGrant, expiresAt: Date): string {
  const claims: Claims = { ...grant, expiresAtMs: expiresAt.getTime() }
  const payload = Buffer.from(JSON.stringify(claims)).toString('base64url')
  return `${payload}.${mac(secret, payload).toString('base64url')}`
}

export function verifyToken(secrets: readonly Buffer[], method: 'GET' | 'PUT', token: string, now: Date): SignedGrant {
  const [payload, signature, ...rest] = token.split('.')
  if (payload === undefined || signature === undefined || rest.length > 0) throw invalid()
  const given = Buffer.from(signature, 'base64url')
  // Base64 ignores stray characters: only the exact text that was handed out is accepted.
  if (given.toString('base64url') !== signature) throw invalid()
  const isOf = (expected: Buffer) => given.length === expected.length && timingSafeEqual(given, expected)
  if (!secrets.some((secret) => isOf(mac(secret, payload)))) throw invalid()
  const { expiresAtMs, ...grant } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims
  if (grant.method !== method) throw invalid()
  if (expiresAtMs <= now.getTime()) throw permissionDenied('signed_url_expired', 'The signed URL has expired.')
  return grant
}
