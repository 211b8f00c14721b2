/// <reference lib="es2024.string" />
import { storageUnavailable } from './storage-error.js'

/** 404 of an object or a bucket. */
export function isAbsent(error: unknown): boolean {
  const status = (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode
  return status === 404
}

export async function onS3<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw storageUnavailable(error)
  }
}

/** As RFC 6266 has it: plain ASCII for old clients, the whole name for all others. */
export function attachment(filename: string): string {
  const plain = filename.toWellFormed().replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(filename.toWellFormed()).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
