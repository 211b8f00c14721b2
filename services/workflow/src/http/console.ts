import { createStaticFiles, type FileHandler } from '@millrace/http'
import type { Logger } from '@millrace/logger'

/**
 * Nothing inline and nothing from elsewhere. Styles set through the object model are not affected, and CodeMirror's are
 * constructed sheets inside a shadow root. Images may be blobs: previews of artifacts are fetched, then shown.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** The console's built files, open to everyone: they hold nothing that the API would not check again. */
export function consoleFiles(directory: string, logger: Logger): FileHandler | undefined {
  const files = createStaticFiles({
    directory,
    headers: { 'content-security-policy': policy, 'cross-origin-opener-policy': 'same-origin' },
  })
  if (!files) logger.warn({ directory }, 'the console is not built: / answers 404')
  return files
}
