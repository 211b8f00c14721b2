import { read } from '../api/client'
import { useMay } from '../api/use-api'
import { useAction } from '../shell/use-action'
import { fetchContent } from './artifact-queries'

/** Long enough for a slow start: the browser asks for it at once. */
const linkSeconds = 60

function saveBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

/**
 * Whoever may make links gets the file by a short one, which the browser streams to disk; whoever may only read gets it
 * through the page.
 */
export function useDownload() {
  const mayLink = useMay('editor')
  return useAction<{ id: string; name: string }>({
    run: async (api, { id, name }) => {
      if (!mayLink) {
        const blob = await (await fetchContent(api, id)).blob()
        saveBlob(new Blob([blob], { type: 'application/octet-stream' }), name)
        return
      }
      const { url } = await read(
        api.client.POST('/api/v1/artifacts/{id}/presign', {
          params: { path: { id } },
          body: { expiresIn: linkSeconds },
        }),
      )
      if (url) location.assign(new URL(url, location.origin))
    },
    touches: ['artifact'],
  })
}
