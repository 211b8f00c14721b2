import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import type { FileHandler, JsonReply } from './types.js'

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
}

/** Best first; each lies beside the file it was made from. */
const encodings = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const

interface StaticFile {
  readonly path: string
  readonly contentType: string
  readonly encodings: readonly (typeof encodings)[number][]
}

export interface StaticFilesOptions {
  directory: string
  /** Sent with every file, as a policy for its content. */
  headers: Readonly<Record<string, string>>
}

/**
 * A built single-page application. Only files that were there at the start are served, by the name they had then, so no
 * path can lead out of the directory. A path without a file extension is one of the application's own addresses and
 * gets index.html. Undefined when the directory holds no application.
 */
export function createStaticFiles({ directory, headers }: StaticFilesOptions): FileHandler | undefined {
  if (!existsSync(join(directory, 'index.html'))) return undefined
  const files = filesOf(directory)
  const index = files.get('/index.html')
  if (!index) return undefined
  const etag = `"${createHash('sha256').update(readFileSync(index.path)).digest('base64url')}"`
  return async (request) => {
    const file = files.get(request.path)
    if (file && file !== index)
      return send(file, request.headers['accept-encoding'], { ...headers, ...lifetime(request.path) })
    if (!file && extname(request.path) !== '') return undefined
    const own = { ...headers, 'cache-control': 'no-cache', etag }
    if (request.headers['if-none-match'] === etag) return { status: 304, headers: own }
    return send(index, request.headers['accept-encoding'], own)
  }
}

function filesOf(directory: string): Map<string, StaticFile> {
  const paths = readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  const present = new Set(paths)
  const files = new Map<string, StaticFile>()
  for (const path of paths) {
    const contentType = contentTypes[extname(path)]
    if (contentType === undefined) continue
    const found = encodings.filter(({ suffix }) => present.has(path + suffix))
    files.set(`/${relative(directory, path).split(sep).join('/')}`, { path, contentType, encodings: found })
  }
  return files
}

/** Names below /assets/ carry a hash of their content; what else there is keeps its name when it changes. */
const lifetime = (path: string) => ({
  'cache-control': path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'public, max-age=3600',
})

async function send(file: StaticFile, accepted: unknown, headers: Record<string, string>): Promise<JsonReply> {
  const encoding = file.encodings.find(({ name }) => accepts(accepted, name))
  const body = await readFile(file.path + (encoding?.suffix ?? ''))
  const encoded = encoding ? { 'content-encoding': encoding.name } : {}
  return {
    status: 200,
    body,
    headers: { ...headers, ...encoded, 'content-type': file.contentType, vary: 'Accept-Encoding' },
  }
}

function accepts(header: unknown, name: string): boolean {
  if (typeof header !== 'string') return false
  const entry = header.split(',').find((each) => each.split(';')[0]?.trim().toLowerCase() === name)
  return entry !== undefined && !/;\s*q=0(\.0*)?\s*$/.test(entry)
}
