import { useVirtualizer } from '@tanstack/react-virtual'
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { ErrorNotice } from '../shell/error-notice'
import { Button } from '../ui/button'
import { formatCount } from '../ui/format'
import { filterLines, type LogLine, lineName } from './log-buffer'
import { LogRow } from './log-row'
import { type Followed, useLog } from './use-log'
import './logs.css'

interface LogViewProps extends Followed {
  line: string | undefined
  onLink: (name: string) => void
}

const rowPx = 20
/** Nearer to the end than this is at the end. */
const nearPx = 30

export function LogView({ jobId, attempt, ended, line, onLink }: LogViewProps) {
  const { buffer, state, fault } = useLog({ jobId, attempt, ended })
  const [level, setLevel] = useState('debug')
  const [text, setText] = useState('')
  const [wrap, setWrap] = useState(true)
  const [absolute, setAbsolute] = useState(false)
  const needle = useDeferredValue(text)
  const lines = useMemo(() => filterLines(buffer.lines, { level, text: needle }), [buffer, level, needle])
  if (fault && buffer.lines.length === 0) return <ErrorNotice error={fault} />
  return (
    <div className="log">
      <div className="log-bar">
        <input
          className="input log-search"
          aria-label="Search the log"
          placeholder="Search the log"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <select
          className="input log-level"
          aria-label="Level"
          value={level}
          onChange={(event) => setLevel(event.target.value)}
        >
          <option value="debug">All levels</option>
          <option value="info">Info and up</option>
          <option value="warn">Warnings</option>
          <option value="error">Errors</option>
        </select>
        <Button small aria-pressed={wrap} onClick={() => setWrap(!wrap)}>
          {wrap ? 'No wrap' : 'Wrap'}
        </Button>
        <Button small aria-pressed={absolute} onClick={() => setAbsolute(!absolute)}>
          {absolute ? 'Relative' : 'Clock'}
        </Button>
        <Button small icon="download" aria-label="Download the log" onClick={() => save(buffer.lines, jobId)} />
        <span className="muted log-count">
          {formatCount(lines.length)} {text || level !== 'debug' ? `of ${formatCount(buffer.lines.length)}` : 'lines'}
          {buffer.dropped > 0 && `, ${formatCount(buffer.dropped)} older not shown`}
          {state === 'reconnecting' && ' · reconnecting'}
        </span>
      </div>
      {buffer.lines.length === 0 && state !== 'reading' && ended && (
        <p className="muted drawer-pad">Nothing was logged.</p>
      )}
      <Lines lines={lines} wrap={wrap} absolute={absolute} line={line} first={buffer.lines[0]} onLink={onLink} />
    </div>
  )
}

interface LinesProps {
  lines: readonly LogLine[]
  wrap: boolean
  absolute: boolean
  line: string | undefined
  first: LogLine | undefined
  onLink: (name: string) => void
}

/** Follows the end until one scrolls away from it, and again once one comes back. */
function Lines({ lines, wrap, absolute, line, first, onLink }: LinesProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const [follow, setFollow] = useState(line === undefined)
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    // Few: a jump draws all of them in one frame, and the time of a frame goes by their number.
    overscan: 8,
  })
  useEffect(() => {
    if (follow && lines.length > 0) rows.scrollToIndex(lines.length - 1, { align: 'end' })
  }, [follow, lines, rows])
  const found = useRef(false)
  useEffect(() => {
    if (line === undefined || found.current) return
    const at = lines.findIndex((each) => lineName(each) === line)
    if (at < 0) return
    found.current = true
    rows.scrollToIndex(at, { align: 'center' })
  }, [line, lines, rows])
  const onScroll = () => {
    const { scrollTop = 0, clientHeight = 0, scrollHeight = 0 } = scroller.current ?? {}
    setFollow(scrollHeight - scrollTop - clientHeight < nearPx)
  }
  const begin = first ? Date.parse(first.at) : 0
  return (
    <div className="log-lines-frame">
      <div
        className="log-lines"
        ref={scroller}
        data-wrap={wrap}
        role="log"
        aria-label="Log"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keyboard
        tabIndex={0}
        onWheel={onScroll}
        onScroll={onScroll}
      >
        <div className="log-space" style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ index, start, key }) => {
            const each = lines[index]
            if (!each) return null
            return (
              <div
                key={key}
                data-index={index}
                ref={wrap ? rows.measureElement : null}
                className="log-place"
                style={{ transform: `translateY(${start}px)` }}
              >
                <LogRow
                  line={each}
                  begin={begin}
                  absolute={absolute}
                  marked={lineName(each) === line}
                  onLink={onLink}
                />
              </div>
            )
          })}
        </div>
      </div>
      {!follow && lines.length > 0 && (
        <Button small className="log-follow" onClick={() => setFollow(true)}>
          Follow the end
        </Button>
      )}
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
