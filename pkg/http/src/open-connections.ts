import type { Server } from 'node:http'
import type { Socket } from 'node:net'

interface Connection {
  requests: number
  /** Bytes received when last looked at. */
  seen: number
}

/**
 * Node's own closeIdleConnections leaves alone what never finished the head of a request: a connection opened ahead, a
 * health check by TCP, a client that sends a byte at a time. They would hold up every stop for the whole of its time.
 */
export class OpenConnections {
  private readonly all = new Map<Socket, Connection>()

  constructor(server: Server) {
    server.on('connection', (socket) => {
      this.all.set(socket, { requests: 0, seen: 0 })
      socket.once('close', () => this.all.delete(socket))
    })
    server.on('request', ({ socket }, res) => {
      const connection = this.all.get(socket)
      if (!connection) return
      connection.requests += 1
      res.once('close', () => {
        connection.requests -= 1
      })
    })
  }

  /** A head that is still arriving gets until the next call. */
  closeUnused(): void {
    for (const [socket, connection] of this.all) {
      if (connection.requests === 0 && connection.seen === socket.bytesRead) socket.destroy()
      connection.seen = socket.bytesRead
    }
  }
}
