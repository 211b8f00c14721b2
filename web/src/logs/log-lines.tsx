import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../ui/button'
import { type LogLine, lineName } from './log-buffer'
import { LogRow } from './log-row'

const rowPx = 20
/** Nearer to the end than this is at the end. */
const nearPx = 30

interface LogLinesProps {
  lines: readonly LogLine[]
  wrap: boolean
  absolute: boolean
  line: string | undefined
  /** Marked wherever it is. */
  needle: string
  /** The line to be brought into view. */
  goTo: number | undefined
  first: LogLine | undefined
  onLink: (name: string) => void
}

/** Follows the end until one scrolls away from it, and again once one comes back. */
export function LogLines({ lines, wrap, absolute, line, needle, goTo, first, onLink }: LogLinesProps) {
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
  useEffect(() => {
    if (goTo === undefined) return
    setFollow(false)
    rows.scrollToIndex(goTo, { align: 'center' })
  }, [goTo, rows])
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
                  needle={needle}
                  found={index === goTo}
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
