/**
 * What had focus may be gone, with its dialog, drawer or page: then the page's content has it, and the next Tab begins
 * there. `leaving` is about to go, and the browser may still name something in it.
 */
export function keepFocus(leaving?: Element): void {
  const { activeElement, body } = document
  if (activeElement !== body && !leaving?.contains(activeElement)) return
  document.getElementById('content')?.focus({ preventScroll: true })
}
