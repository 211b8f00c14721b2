import { type ReactNode, useEffect, useState } from 'react'
import { Button } from '../ui/button'
import { formatCount } from '../ui/format'

export interface LogQuery {
  text: string
  level: string
  /** Only the lines that match are shown. */
  only: boolean
}

interface LogBarProps {
  query: LogQuery
  onQuery: (change: Partial<LogQuery>) => void
  matches: number
  /** Which of them is gone to. */
  current: number | undefined
  onStep: (step: 1 | -1) => void
  children: ReactNode
}

const typingMs = 250

export function LogBar({ query, onQuery, matches, current, onStep, children }: LogBarProps) {
  return (
    <div className="log-bar">
      <Search {...{ query, onQuery, matches, current, onStep }} />
      <select
        className="input log-level"
        aria-label="Level"
        value={query.level}
        onChange={(event) => onQuery({ level: event.target.value })}
      >
        <option value="debug">All levels</option>
        <option value="info">Info and up</option>
        <option value="warn">Warnings</option>
        <option value="error">Errors</option>
      </select>
      {children}
    </div>
  )
}

function Search({ query, onQuery, matches, current, onStep }: Omit<LogBarProps, 'children'>) {
  const [text, setText] = useState(query.text)
  useEffect(() => setText(query.text), [query.text])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing starts the pause
  useEffect(() => {
    if (text === query.text) return
    const timer = setTimeout(() => onQuery({ text }), typingMs)
    return () => clearTimeout(timer)
  }, [text])
  const place = current === undefined ? formatCount(matches) : `${formatCount(current + 1)} of ${formatCount(matches)}`
  return (
    <>
      <input
        className="input log-search"
        aria-label="Search the log"
        placeholder="Search the log"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          if (text === query.text) onStep(event.shiftKey ? -1 : 1)
          else onQuery({ text })
        }}
      />
      {query.text !== '' && (
        <>
          <span className="muted log-count" role="status">
            {matches === 0 ? 'no match' : place}
          </span>
          <Button
            small
            disabled={matches === 0}
            aria-label="Previous match"
            title="Shift Enter"
            onClick={() => onStep(-1)}
          >
            ↑
          </Button>
          <Button small disabled={matches === 0} aria-label="Next match" title="Enter" onClick={() => onStep(1)}>
            ↓
          </Button>
          <Button small aria-pressed={query.only} onClick={() => onQuery({ only: !query.only })}>
            Only matches
          </Button>
        </>
      )}
    </>
  )
}
