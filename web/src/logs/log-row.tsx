import { memo } from 'react'
import { parseAnsi } from './ansi'
import { type LogLine, lineName } from './log-buffer'
import { markPieces } from './log-search'

interface LogRowProps {
  line: LogLine
  /** When the first line was written. */
  begin: number
  absolute: boolean
  marked: boolean
  needle: string
  /** The match that was gone to is on it. */
  found: boolean
  onLink: (name: string) => void
}

const clock = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
})

const timeOf = (at: string, begin: number, absolute: boolean): string =>
  absolute ? clock.format(Date.parse(at)) : `+${((Date.parse(at) - begin) / 1_000).toFixed(3)}`

/** Text nodes only: a log is whatever somebody printed. */
export const LogRow = memo(({ line, begin, absolute, marked, needle, found, onLink }: LogRowProps) => (
  <div className={`log-row log-${line.level}`} data-marked={marked} data-found={found}>
    <button
      type="button"
      className="log-time"
      title={`${line.at}, attempt ${line.attempt}. Click to link to this line`}
      onClick={() => onLink(lineName(line))}
    >
      {timeOf(line.at, begin, absolute)}
    </button>
    <span className="log-level-mark">{line.level === 'info' ? '' : line.level}</span>
    <span className="log-text">
      {markPieces(parseAnsi(line.message), needle).map(({ text, className, style, marked: isMatch }, index) => {
        const Piece = isMatch ? 'mark' : 'span'
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces are never reordered
          <Piece key={index} className={className || undefined} style={style}>
            {text}
          </Piece>
        )
      })}
    </span>
  </div>
))
