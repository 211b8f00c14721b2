import { type ClientHttp2Session, type ClientHttp2Stream, connect, type OutgoingHttpHeaders } from 'node:http2'

/** One HTTP/2 connection to a service, opened on first use and again after it was lost. */
export class Upstream {
  private session: ClientHttp2Session | undefined

  constructor(private readonly address: string) {}

  request(headers: OutgoingHttpHeaders): ClientHttp2Stream {
    return this.open().request(headers, { endStream: false })
  }

  close(): void {
    this.session?.destroy()
  }

  private open(): ClientHttp2Session {
    if (this.session && !this.session.closed && !this.session.destroyed) return this.session
    const session = connect(`http://${this.address}`, { settings: { initialWindowSize: 1024 * 1024 } })
    // Each stream learns of the failure by itself; unheard, the session's own event would end the process.
    session.on('error', () => undefined)
    session.on('goaway', () => this.forget(session))
    session.on('close', () => this.forget(session))
    this.session = session
    return session
  }

  private forget(session: ClientHttp2Session): void {
    if (this.session === session) this.session = undefined
  }
}
