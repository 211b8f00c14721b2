/** Longer than any secret in any form: one that begins before the tail is seen whole and hidden. */
const readBehind = 256 * 1024

/** The end of a stream of text; what lies before it is forgotten on the way. */
export class TextTail {
  private parts: string[] = []
  private length = 0
  private cut = false

  constructor(private readonly maxLength: number) {}

  push(text: string): void {
    this.parts.push(text)
    this.length += text.length
    if (this.length > 2 * (this.maxLength + readBehind)) this.compact()
  }

  /** With secrets hidden, and a mark where the beginning is missing. */
  text(hide: (text: string) => string): string {
    this.compact()
    const hidden = hide(this.parts.join(''))
    if (!this.cut && hidden.length <= this.maxLength) return hidden
    return `…${hidden.slice(-this.maxLength)}`.replace(/^…[\udc00-\udfff]/, '…')
  }

  private compact(): void {
    const whole = this.parts.join('')
    const kept = whole.slice(-(this.maxLength + readBehind))
    this.cut ||= kept.length < whole.length
    this.parts = [kept]
    this.length = kept.length
  }
}
