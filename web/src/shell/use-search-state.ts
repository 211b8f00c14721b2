import { useNavigate, useSearch } from '@tanstack/react-router'

export type SearchState = Readonly<Record<string, string | undefined>>

/** The state of a room as its address has it. `undefined` takes a name out. */
export function useSearchState(): [SearchState, (change: SearchState) => void] {
  const search: SearchState = useSearch({ strict: false })
  const navigate = useNavigate()
  const change = (next: SearchState) => {
    const update = (old: SearchState): SearchState => ({ ...old, ...next })
    // Which room this is only its caller knows, so the router cannot know the type of its search either.
    void navigate({ to: '.', search: update as never, replace: isSameStep(next) })
  }
  return [search, change]
}

const stepMs = 2_000
let last = { keys: '', at: 0 }

/** Back goes to what was chosen before; what is typed letter by letter is one step. */
function isSameStep(change: SearchState): boolean {
  const [keys, at] = [Object.keys(change).join(), Date.now()]
  const same = keys === last.keys && at - last.at < stepMs
  last = { keys, at }
  return same
}
