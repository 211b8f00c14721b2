import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { notFound } from '@millrace/errors'
import type { JsonReply, RouteHandler } from '@millrace/http'

// Found, not imported: the package's own entry runs the whole viewer in this process (one second, 30 MB).
const assets = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

// Scripts only from here and none inline; the viewer sets inline styles and draws its icons from data: URLs.
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Millrace API</title>
<link rel="icon" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

const start = `window.ui = SwaggerUIBundle({ url: '/api/v1/openapi.json', dom_id: '#swagger-ui', deepLinking: true, persistAuthorization: false, validatorUrl: null })
`

const files: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
}

const reply = (body: string | Buffer, contentType: string, cacheControl: string): JsonReply => ({
  status: 200,
  body,
  headers: { 'content-type': contentType, 'content-security-policy': policy, 'cache-control': cacheControl },
})

export function getDocs(): RouteHandler {
  return async () => reply(page, 'text/html; charset=utf-8', 'no-cache')
}

export function getDocsFile(): RouteHandler {
  return async (req) => {
    const name = req.params.file ?? ''
    if (name === '') return reply(page, 'text/html; charset=utf-8', 'no-cache')
    if (name === 'start.js') return reply(start, 'text/javascript; charset=utf-8', 'no-cache')
    const contentType = Object.hasOwn(files, name) ? files[name] : undefined
    if (contentType === undefined) throw notFound('not_found', 'There is nothing here.')
    return reply(await readFile(join(assets, name)), contentType, 'public, max-age=86400')
  }
}
