/** The message is written for the person at the terminal: what is wrong and what to do about it. */
export class ServerError extends Error {
  override readonly name = 'ServerError'
}
