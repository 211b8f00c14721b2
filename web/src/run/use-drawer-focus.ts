import { type RefObject, useLayoutEffect, useRef } from 'react'
import { keepFocus } from '../ui/keep-focus'

/**
 * Who opens a task by keyboard is in its drawer, and back at the task once it is closed. A page that opens with a task in
 * its address takes focus from nobody. `name` is that of the open task.
 */
export function useDrawerFocus(drawer: RefObject<HTMLElement | null>, name: string | undefined): () => void {
  const opener = useRef<Element | null>(null)
  const asked = useRef(false)
  useLayoutEffect(() => {
    if (name !== undefined) {
      if (asked.current) drawer.current?.focus({ preventScroll: true })
    } else if (document.activeElement === document.body) {
      if (opener.current instanceof HTMLElement) opener.current.focus({ preventScroll: true })
      keepFocus()
    }
    asked.current = false
  }, [drawer, name])
  /** To be called when a person chooses a task. */
  return () => {
    asked.current = true
    const { activeElement } = document
    if (activeElement !== document.body && !drawer.current?.contains(activeElement)) opener.current = activeElement
  }
}
