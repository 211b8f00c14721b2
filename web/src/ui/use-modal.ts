import { type RefObject, useLayoutEffect, useRef } from 'react'
import { keepFocus } from './keep-focus'

/**
 * Shows a dialog for as long as it is drawn. A browser gives focus back when a dialog is closed, not when it is taken out
 * of the page; hence closed by a layout effect, which comes before that. It also closes one by itself, without asking,
 * where nothing in it was touched since it was shown: `onClosed` hears of that.
 */
export function useModal(ref: RefObject<HTMLDialogElement | null>, onClosed: () => void): void {
  const latest = useRef(onClosed)
  latest.current = onClosed
  useLayoutEffect(() => {
    const dialog = ref.current
    if (!dialog) return undefined
    const closed = () => latest.current()
    dialog.addEventListener('close', closed)
    if (!dialog.open) dialog.showModal()
    return () => {
      // Told later, it would be taken for the close of what was opened since.
      dialog.removeEventListener('close', closed)
      dialog.close()
      keepFocus(dialog)
    }
  }, [ref])
}
