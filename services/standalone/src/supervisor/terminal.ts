/** What a person reads. Logs go to files; only the word of readiness carries the word "ready". */
export const terminal = {
  line(text: string): void {
    process.stdout.write(`${text}\n`)
  },
  error(text: string): void {
    process.stderr.write(`${text}\n`)
  },
}

export type Terminal = typeof terminal
