/** What had focus may be gone, with its dialog, drawer or page: then the page's content has it, and the next Tab begins there. */
export function keepFocus(): void {
  if (document.activeElement === document.body) document.getElementById('content')?.focus({ preventScroll: true })
}
