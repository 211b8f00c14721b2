import { useEffect, useState } from 'react'
import './filters.css'

interface FilterTextProps {
  id?: string
  label: string
  placeholder: string
  value: string
  onChange: (value: string) => void
}

const typingMs = 300

/** Typed text becomes a filter after a pause, not with every key. */
export function FilterText({ id, label, placeholder, value, onChange }: FilterTextProps) {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing starts the pause
  useEffect(() => {
    if (text === value) return
    const timer = setTimeout(() => onChange(text.trim()), typingMs)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <input
      id={id}
      className="input filter-text"
      aria-label={label}
      placeholder={placeholder}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') event.currentTarget.blur()
        if (event.key === 'Enter') onChange(text.trim())
      }}
    />
  )
}
