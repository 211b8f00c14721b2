import { useDeferredValue, useMemo, useState } from 'react'
import { ErrorNotice } from '../shell/error-notice'
import { Button } from '../ui/button'
import { formatCount } from '../ui/format'
import { LogBar, type LogQuery } from './log-bar'
import { filterLines, type LogLine } from './log-buffer'
import { LogLines } from './log-lines'
import { matchesIn, nextMatch } from './log-search'
import { type Followed, useLog } from './use-log'
import './logs.css'

interface LogViewProps extends Followed {
  query: LogQuery
  onQuery: (change: Partial<LogQuery>) => void
  line: string | undefined
  onLink: (name: string) => void
}

export function LogView({ jobId, attempt, ended, query, onQuery, line, onLink }: LogViewProps) {
  const { buffer, state, fault } = useLog({ jobId, attempt, ended })
  const { level, only } = query
  const [wrap, setWrap] = useState(true)
  const [absolute, setAbsolute] = useState(false)
  const needle = useDeferredValue(query.text)
  const lines = useMemo(
    () => filterLines(buffer.lines, { level, text: only ? needle : '' }),
    [buffer, level, only, needle],
  )
  const matches = useMemo(() => matchesIn(lines, needle), [lines, needle])
  const [at, setAt] = useState<{ needle: string; match: number }>()
  const current = at?.needle === needle && at.match < matches.length ? at.match : undefined
  const step = (by: 1 | -1) => {
    const match = nextMatch(matches.length, current, by)
    setAt(match === undefined ? undefined : { needle, match })
  }
  if (fault && buffer.lines.length === 0) return <ErrorNotice error={fault} />
  return (
    <div className="log">
      <LogBar query={query} onQuery={onQuery} matches={matches.length} current={current} onStep={step}>
        <Button small aria-pressed={wrap} onClick={() => setWrap(!wrap)}>
          {wrap ? 'No wrap' : 'Wrap'}
        </Button>
        <Button small aria-pressed={absolute} onClick={() => setAbsolute(!absolute)}>
          {absolute ? 'Relative' : 'Clock'}
        </Button>
        <Button small icon="download" aria-label="Download the log" onClick={() => save(buffer.lines, jobId)} />
        <span className="muted log-count">
          {formatCount(lines.length)}{' '}
          {lines.length === buffer.lines.length ? 'lines' : `of ${formatCount(buffer.lines.length)} lines`}
          {buffer.dropped > 0 && `, ${formatCount(buffer.dropped)} older not shown`}
          {state === 'reconnecting' && ' · reconnecting'}
        </span>
      </LogBar>
      {buffer.lines.length === 0 && state !== 'reading' && ended && (
        <p className="muted drawer-pad">Nothing was logged.</p>
      )}
      <LogLines
        lines={lines}
        wrap={wrap}
        absolute={absolute}
        line={line}
        needle={needle}
        goTo={current === undefined ? undefined : matches[current]}
        first={buffer.lines[0]}
        onLink={onLink}
      />
    </div>
  )
}

function save(lines: readonly LogLine[], jobId: string): void {
  const text = lines.map(({ at, level, message }) => `${at} ${level} ${message}`).join('\n')
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `${jobId}.log`
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 1_000)
}
