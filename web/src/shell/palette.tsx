import { type KeyboardEvent, useRef, useState } from 'react'
import { Icon } from '../ui/icons'
import { useModal } from '../ui/use-modal'
import { type Entry, useEntries } from './palette-entries'

export function Palette({ project, onClose }: { project: string; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const entries = useEntries(project, text.trim())
  useModal(dialog, onClose)
  const choose = (entry: Entry | undefined) => {
    if (!entry) return
    onClose()
    entry.run()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation()
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setAt((current) => (current + step + entries.length) % Math.max(1, entries.length))
    } else if (event.key === 'Enter') choose(entries[at])
  }
  return (
    <dialog
      ref={dialog}
      className="dialog palette"
      aria-label="Search and commands"
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onMouseDown={(event) => {
        if (event.target === dialog.current) onClose()
      }}
      onKeyDown={onKeyDown}
    >
      <input
        className="palette-input"
        placeholder="Go to a room, a workflow, a run by its id, or do something"
        aria-label="Search"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={entries[at] ? `palette-${at}` : undefined}
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setAt(0)
        }}
      />
      <div className="palette-list" id="palette-list" role="listbox" aria-label="Results">
        {entries.map((entry, index) => (
          <div
            key={entry.id}
            id={`palette-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            className="palette-entry"
            ref={(element) => {
              if (index === at) element?.scrollIntoView({ block: 'nearest' })
            }}
            onMouseMove={() => setAt(index)}
            onClick={() => choose(entry)}
            onKeyDown={() => undefined}
          >
            <Icon name={entry.icon} size={15} />
            <span className="palette-label">{entry.label}</span>
            <span className="muted">{entry.hint}</span>
          </div>
        ))}
        {entries.length === 0 && <p className="muted palette-none">Nothing by that name.</p>}
      </div>
    </dialog>
  )
}
