import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface SinkRequest {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: string
  at: Date
}

export interface SinkAnswer {
  status?: number
  headers?: Record<string, string>
  body?: string
  /** Held back this long before it is sent. */
  delayMs?: number
  /** The connection is cut instead of answered. */
  destroy?: boolean
}

export interface HttpSink {
  url: string
  port: number
  requests: SinkRequest[]
  /** Used one after another; afterwards every request is answered by `otherwise` (204 unless set). */
  script(...answers: SinkAnswer[]): void
  otherwise(answer: SinkAnswer | ((request: SinkRequest) => SinkAnswer)): void
  close(): Promise<void>
}

async function readBody(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

function send(res: ServerResponse, answer: SinkAnswer): void {
  if (answer.destroy) {
    res.destroy()
    return
  }
  const reply = () => res.writeHead(answer.status ?? 204, answer.headers).end(answer.body)
  if (answer.delayMs === undefined) reply()
  else setTimeout(reply, answer.delayMs).unref()
}

export interface HttpSinkPlace {
  host?: string
  port?: number
}

/** Records what it is sent and answers from a script. */
export async function httpSink(place: HttpSinkPlace = {}): Promise<HttpSink> {
  const requests: SinkRequest[] = []
  const scripted: SinkAnswer[] = []
  let fallback: (request: SinkRequest) => SinkAnswer = () => ({ status: 204 })
  const server = createServer((req, res) => {
    readBody(req).then(
      (body) => {
        const request = { method: req.method ?? '', url: req.url ?? '', headers: req.headers, body, at: new Date() }
        requests.push(request)
        send(res, scripted.shift() ?? fallback(request))
      },
      () => res.destroy(),
    )
  })
  await new Promise<void>((resolve) => server.listen(place.port ?? 0, place.host ?? '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    script: (...answers) => scripted.push(...answers),
    otherwise: (answer) => {
      fallback = typeof answer === 'function' ? answer : () => answer
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
