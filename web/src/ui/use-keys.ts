import { useEffect, useRef } from 'react'

export type Keys = Readonly<Record<string, (event: KeyboardEvent) => void>>

const sequenceMs = 900
let prefix = ''
let prefixAt = 0

/** In these letters are nobody's text. */
const notText = 'input:is([type=checkbox], [type=radio])'

/** Where keys are text, and where a dialog is open, none is a command. */
function isTyping(event: KeyboardEvent): boolean {
  const target = event.composedPath()[0]
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) && !target.matches(notText))
}

/**
 * Commands by key, as `j`, `/`, or a sequence `g r`; `mod+k` is ⌘K or Ctrl-K and works while typing too. What mounted
 * last is asked first.
 */
export function useKeys(keys: Keys): void {
  const current = useRef(keys)
  current.current = keys
  useEffect(() => {
    const listen = (event: KeyboardEvent) => handle(event, current.current)
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [])
}

function handle(event: KeyboardEvent, keys: Keys): void {
  if (event.defaultPrevented) return
  const command = event.metaKey || event.ctrlKey
  if (command || event.altKey) {
    run(event, command ? keys[`mod+${event.key.toLowerCase()}`] : undefined)
    return
  }
  if (isTyping(event) || document.querySelector('dialog[open]')) return
  const fresh = Date.now() - prefixAt < sequenceMs
  const sequence = fresh ? keys[`${prefix} ${event.key}`] : undefined
  if (sequence) {
    run(event, sequence)
    return
  }
  if (Object.keys(keys).some((key) => key.startsWith(`${event.key} `))) {
    prefix = event.key
    prefixAt = Date.now()
    return
  }
  if (!fresh || prefix === event.key) run(event, keys[event.key])
}

function run(event: KeyboardEvent, command: ((event: KeyboardEvent) => void) | undefined): void {
  if (!command) return
  event.preventDefault()
  prefixAt = 0
  command(event)
}
