import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { scrape } from '@millrace/telemetry'
import type { Worker } from './worker.js'

export interface HealthListener {
  port: number
  stop(): Promise<void>
}

/** /healthz, /readyz and /metrics: a worker has no other HTTP. */
export async function startHealth(worker: Worker, host: string, port: number): Promise<HealthListener> {
  const server = createServer((req, res) => {
    const answer = (status: number, type: string, body: string) => {
      res.writeHead(status, { 'content-type': type, 'x-content-type-options': 'nosniff' }).end(body)
    }
    const json = (status: number, body: unknown) => answer(status, 'application/json', JSON.stringify(body))
    const path = req.url?.split('?')[0]
    if (req.method !== 'GET') json(405, { status: 405 })
    else if (path === '/healthz') json(200, { status: 'ok' })
    else if (path === '/readyz') {
      const up = worker.isRegistered
      json(up ? 200 : 503, { status: up ? 'ok' : 'unavailable', dependencies: { scheduler: up ? 'up' : 'down' } })
    } else if (path === '/metrics') {
      scrape(req.headers.accept).then(
        ({ contentType, body }) => answer(200, contentType, body),
        () => json(500, { status: 500 }),
      )
    } else json(404, { status: 404 })
  })
  await listen(server, host, port)
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      reject(new Error(`cannot listen for HTTP on ${host}:${port}: ${error.message}`, { cause: error }))
    })
    server.listen(port, host, resolve)
  })
}
