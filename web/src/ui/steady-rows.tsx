import { type ReactNode, useState } from 'react'
import { formatCount } from './format'
import { useSteadyList } from './use-steady-list'

interface SteadyRowsProps<T> {
  items: readonly T[]
  children: (shown: readonly T[]) => ReactNode
}

/** Rows of a live list that keep their places under the pointer; what is new is counted above them. */
export function SteadyRows<T extends { id: string }>({ items, children }: SteadyRowsProps<T>) {
  const [hovered, setHovered] = useState(false)
  const { items: shown, held } = useSteadyList(items, hovered)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only watches where the pointer is
    <div onMouseEnter={() => setHovered(true)} onMouseLeave={() => setHovered(false)}>
      {held > 0 && (
        <button type="button" className="list-new" onClick={() => setHovered(false)}>
          {formatCount(held)} new, show
        </button>
      )}
      {children(shown)}
    </div>
  )
}
