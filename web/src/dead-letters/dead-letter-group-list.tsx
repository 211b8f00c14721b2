import { useSearchState } from '../shell/use-search-state'
import { useListCursor } from '../ui/use-list-cursor'
import { DeadLetterGroupRow } from './dead-letter-group-row'
import type { DeadLetterGroup } from './dead-letter-groups'

interface DeadLetterGroupsProps {
  groups: readonly DeadLetterGroup[]
  more: boolean
  selected: ReadonlySet<string>
  /** Absent where nothing can be done to them any more. */
  onSelect?: (ids: readonly string[], on: boolean) => void
}

/** The group that is open is in the address. */
export function DeadLetterGroups({ groups, more, selected, onSelect }: DeadLetterGroupsProps) {
  const [search, change] = useSearchState()
  // A single group needs no choosing.
  const open = search.group ?? (groups.length === 1 ? groups[0]?.id : undefined)
  const toggle = (id: string) => change({ group: id === open ? 'none' : id })
  const at = useListCursor({
    count: groups.length,
    onOpen: (index) => groups[index] && toggle(groups[index].id),
    onSelect: (index) => {
      const ids = groups[index]?.deadLetters.map(({ id }) => id) ?? []
      onSelect?.(ids, !ids.every((id) => selected.has(id)))
    },
    searchId: 'dead-letters-search',
  })
  return (
    <ul className="dead-letter-groups">
      {groups.map((group, index) => (
        <DeadLetterGroupRow
          key={group.id}
          group={group}
          index={index}
          active={index === at}
          open={group.id === open}
          more={more}
          selected={selected}
          onToggle={() => toggle(group.id)}
          {...(onSelect ? { onSelect } : {})}
        />
      ))}
    </ul>
  )
}
