/** Something the person at the terminal can put right; the message says what and how. Anything else is a defect. */
export class StartupError extends Error {
  override readonly name = 'StartupError'
}
