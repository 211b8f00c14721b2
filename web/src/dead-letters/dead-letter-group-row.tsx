import { Link } from '@tanstack/react-router'
import { useId } from 'react'
import type { DeadLetter } from '../api/types'
import { useApi } from '../api/use-api'
import { CopyId } from '../ui/copy'
import { formatCount, plural } from '../ui/format'
import { Icon } from '../ui/icons'
import { StatusIcon } from '../ui/status'
import { Time } from '../ui/time'
import type { DeadLetterGroup } from './dead-letter-groups'

interface GroupRowProps {
  group: DeadLetterGroup
  index: number
  active: boolean
  open: boolean
  /** Others match that are not loaded: the group may have more. */
  more: boolean
  selected: ReadonlySet<string>
  /** Absent where nothing can be done to them any more. */
  onSelect?: (ids: readonly string[], on: boolean) => void
  onToggle: () => void
}

export function DeadLetterGroupRow({ group, index, active, open, more, selected, onSelect, onToggle }: GroupRowProps) {
  const body = useId()
  const ids = group.deadLetters.map(({ id }) => id)
  const chosen = ids.filter((id) => selected.has(id)).length
  return (
    <li className="card dead-letter-group" data-row={index} data-active={active}>
      <div className="dead-letter-head">
        {onSelect && (
          <input
            type="checkbox"
            aria-label={`Select all of ${group.workflow}, ${group.taskKey}: ${group.errorClass}`}
            checked={chosen === ids.length}
            ref={(box) => {
              if (box) box.indeterminate = chosen > 0 && chosen < ids.length
            }}
            onChange={(event) => onSelect(ids, event.target.checked)}
          />
        )}
        <button type="button" className="dead-letter-open" aria-expanded={open} aria-controls={body} onClick={onToggle}>
          <StatusIcon status={group.deadLetters[0]?.state ?? 'open'} />
          <span className="dead-letter-what">
            <span>
              <strong>{group.workflow}</strong> · {group.taskKey} <span className="tag">{group.errorClass}</span>
            </span>
            <span className="dead-letter-message muted" title={group.message}>
              {group.message || 'without a message'}
            </span>
          </span>
          <span className="dead-letter-count">
            <strong>{formatCount(ids.length) + (more ? '+' : '')}</strong>
            <span className="muted">
              <Time at={group.newestAt} />
            </span>
          </span>
          <span className={open ? 'dead-letter-turned' : undefined}>
            <Icon name="right" />
          </span>
        </button>
      </div>
      {open && (
        <ul className="dead-letter-list" id={body} aria-label={plural(ids.length, 'dead letter')}>
          {group.deadLetters.map((each) => (
            <DeadLetterRow
              key={each.id}
              deadLetter={each}
              selected={selected.has(each.id)}
              {...(onSelect ? { onSelect } : {})}
            />
          ))}
        </ul>
      )}
    </li>
  )
}

interface DeadLetterRowProps {
  deadLetter: DeadLetter
  selected: boolean
  onSelect?: (ids: readonly string[], on: boolean) => void
}

function DeadLetterRow({ deadLetter, selected, onSelect }: DeadLetterRowProps) {
  const { project } = useApi()
  const { id, runId, taskKey, index, error, attempts, at } = deadLetter
  return (
    <li className="dead-letter-row">
      {onSelect && (
        <input
          type="checkbox"
          aria-label={`Select dead letter ${id}`}
          checked={selected}
          onChange={(event) => onSelect([id], event.target.checked)}
        />
      )}
      <Link
        className="dead-letter-link"
        to="/p/$project/dead-letters/$deadLetterId"
        params={{ project, deadLetterId: id }}
      >
        {taskKey}
        {index !== undefined && `[${index}]`}
      </Link>
      <span className="dead-letter-message muted" title={error?.message}>
        {error?.message}
      </span>
      <span className="muted dead-letter-wide">{plural(attempts.length, 'attempt')}</span>
      <span className="dead-letter-wide">
        <span className="muted">run</span> <CopyId id={runId} />
      </span>
      <Time at={at} />
    </li>
  )
}
