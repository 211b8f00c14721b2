import { useEffect, useRef, useSyncExternalStore } from 'react'
import { Button } from './button'

export interface Toast {
  id: number
  kind: 'good' | 'bad' | 'plain'
  text: string
  detail?: string | undefined
  action?: { label: string; run: () => void } | undefined
}

const shownMs = { good: 4_000, plain: 6_000, bad: 12_000 }
let toasts: readonly Toast[] = []
let nextId = 1
const listeners = new Set<() => void>()

function set(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

const dismiss = (id: number) => set(toasts.filter((toast) => toast.id !== id))

function act(id: number, run: () => void): void {
  dismiss(id)
  run()
}

export function toast(kind: Toast['kind'], text: string, more: Pick<Toast, 'detail' | 'action'> = {}): void {
  const id = nextId++
  set([...toasts.slice(-3), { id, kind, text, ...more }])
  setTimeout(() => dismiss(id), shownMs[kind])
}

export function Toasts() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => toasts,
  )
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // An open dialog is in the browser's top layer; only what is shown in that layer after it lies above it.
    const box = ref.current
    if (!box) return
    if (box.matches(':popover-open')) box.hidePopover()
    if (shown.length > 0) box.showPopover()
  }, [shown])
  return (
    <div ref={ref} popover="manual" className="toasts" role="status" aria-live="polite">
      {shown.map(({ id, kind, text, detail, action }) => (
        <div key={id} className={`toast toast-${kind}`}>
          <div className="toast-text">
            {text}
            {detail && <div className="muted">{detail}</div>}
          </div>
          {action && (
            <Button small onClick={() => act(id, action.run)}>
              {action.label}
            </Button>
          )}
          <Button look="quiet" small icon="close" aria-label="Dismiss" onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  )
}
