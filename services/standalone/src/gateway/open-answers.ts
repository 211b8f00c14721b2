import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

interface Connection {
  readonly answers: Set<ServerResponse>
  condemned: boolean
}

/**
 * Node hands over every request of a pipeline at once, also those that follow one whose answer closes the connection.
 * This knows, for each connection, which answers are still due and whether anything more may be taken from it.
 */
export class OpenAnswers {
  private readonly connections = new WeakMap<Duplex, Connection>()

  add(socket: Duplex, answer: ServerResponse): void {
    const { answers } = this.connectionOf(socket)
    answers.add(answer)
    answer.once('close', () => answers.delete(answer))
  }

  of(socket: Duplex): readonly ServerResponse[] {
    return [...(this.connections.get(socket)?.answers ?? [])]
  }

  /** Requests that come later on this connection are not served. */
  condemn(socket: Duplex): void {
    this.connectionOf(socket).condemned = true
  }

  isCondemned(socket: Duplex): boolean {
    return this.connections.get(socket)?.condemned === true
  }

  private connectionOf(socket: Duplex): Connection {
    const known = this.connections.get(socket)
    if (known) return known
    const connection = { answers: new Set<ServerResponse>(), condemned: false }
    this.connections.set(socket, connection)
    return connection
  }
}
