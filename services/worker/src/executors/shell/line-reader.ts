/** A line longer than this is logged in pieces. */
const pieceLength = 32 * 1024
/** Read ahead before a line is cut, so that a secret across the cut is seen whole. */
const aheadLength = 128 * 1024

/** Cuts a stream of text into lines, as they come. Text is cut only where hiding the parts hides the whole. */
export class LineReader {
  private rest = ''

  constructor(
    private readonly onLine: (line: string) => void,
    private readonly hide: (text: string) => string,
  ) {}

  push(text: string): void {
    this.rest += text
    const end = this.rest.lastIndexOf('\n')
    if (end >= 0) {
      const whole = this.rest.slice(0, end)
      this.rest = this.rest.slice(end + 1)
      for (const line of whole.split('\n')) this.onLine(line.replace(/\r$/, ''))
    }
    while (this.rest.length > pieceLength + aheadLength) this.cutPiece()
  }

  end(): void {
    if (this.rest !== '') this.onLine(this.rest)
    this.rest = ''
  }

  private cutPiece(): void {
    const seen = this.rest.slice(0, pieceLength + aheadLength)
    const hidden = this.hide(seen)
    for (let at = pieceLength; at > 0; at = Math.floor(at * 0.7)) {
      if (this.hide(seen.slice(0, at)) + this.hide(seen.slice(at)) === hidden) {
        this.onLine(this.rest.slice(0, at))
        this.rest = this.rest.slice(at)
        return
      }
    }
    // All of it is secret: hidden, it is short.
    this.onLine(hidden)
    this.rest = this.rest.slice(seen.length)
  }
}
