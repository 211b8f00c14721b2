import { useNavigate, useSearch } from '@tanstack/react-router'

export type SearchState = Readonly<Record<string, string | undefined>>

/** The state of a room as its address has it. A change replaces the entry in the history; `undefined` takes a name out. */
export function useSearchState(): [SearchState, (change: SearchState) => void] {
  const search: SearchState = useSearch({ strict: false })
  const navigate = useNavigate()
  const change = (next: SearchState) => {
    const update = (old: SearchState): SearchState => ({ ...old, ...next })
    // Which room this is only its caller knows, so the router cannot know the type of its search either.
    void navigate({ to: '.', search: update as never, replace: true })
  }
  return [search, change]
}
