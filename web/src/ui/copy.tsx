import { shortId } from './format'
import { toast } from './toast'

export async function copyText(text: string, what = 'Copied'): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    toast('good', what)
  } catch {
    toast('bad', 'The browser did not allow copying.')
  }
}

/** An id, shortened; a click copies all of it. */
export function CopyId({ id, whole }: { id: string; whole?: boolean }) {
  return (
    <button
      type="button"
      className="copy"
      title={`Copy ${id}`}
      onClick={(event) => {
        event.stopPropagation()
        void copyText(id, 'Id copied')
      }}
    >
      {whole ? id : shortId(id)}
    </button>
  )
}
