import { type KeyboardEvent, useRef } from 'react'

export interface TabItem<T extends string> {
  id: T
  label: string
  count?: number | undefined
}

interface TabsProps<T extends string> {
  label: string
  items: readonly TabItem<T>[]
  selected: T
  onSelect: (id: T) => void
}

/** The panel belongs to whoever uses this: it is often a whole route. */
export function Tabs<T extends string>({ label, items, selected, onSelect }: TabsProps<T>) {
  const list = useRef<HTMLDivElement>(null)
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const at = items.findIndex(({ id }) => id === selected)
    const next = items[(at + step + items.length) % items.length]
    if (!next) return
    onSelect(next.id)
    list.current?.querySelector<HTMLButtonElement>(`[data-tab="${next.id}"]`)?.focus()
  }
  return (
    <div className="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={move}>
      {items.map(({ id, label: text, count }) => (
        <button
          key={id}
          type="button"
          role="tab"
          className="tab"
          data-tab={id}
          aria-selected={id === selected}
          tabIndex={id === selected ? 0 : -1}
          onClick={() => onSelect(id)}
        >
          {text}
          {count !== undefined && <span className="muted"> {count}</span>}
        </button>
      ))}
    </div>
  )
}
