import { useSyncExternalStore } from 'react'

/** The same width as in the style sheets. */
const query = matchMedia('(max-width: 760px)')

export const useNarrow = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      query.addEventListener('change', listener)
      return () => query.removeEventListener('change', listener)
    },
    () => query.matches,
  )
