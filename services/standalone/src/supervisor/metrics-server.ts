import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { collectProcessMetrics, metricsContentType, metricsText } from '@millrace/telemetry'
import { mergeMetrics } from './merge-metrics.js'
import { StartupError } from './startup-error.js'

/** The port that OpenTelemetry's Prometheus exporter has by default. */
const usualPort = 9464
/** Less than Prometheus' own 10 s: a process that is busy is left out, the others are shown. */
const answerMs = 3_000

export interface MetricsServer {
  url: string
  stop(): Promise<void>
}

export interface MeasuredProcess {
  name: string
  measure(timeoutMs: number): Promise<string | undefined>
}

/** `/metrics` of every process at one address, on loopback alone: what is measured tells of everybody's work. */
export async function serveMetrics(
  port: number | undefined,
  processes: () => readonly MeasuredProcess[],
): Promise<MetricsServer> {
  collectProcessMetrics()
  let underWay: Promise<string> | undefined
  // However many ask at once, each process is asked once.
  const collected = () => {
    underWay ??= collect(processes()).finally(() => {
      underWay = undefined
    })
    return underWay
  }
  const server = createServer((req, res) => {
    const isRead = req.method === 'GET' || req.method === 'HEAD'
    if (!isRead || req.url?.split('?')[0] !== '/metrics') res.writeHead(isRead ? 404 : 405).end()
    else void collected().then((text) => res.writeHead(200, { 'content-type': metricsContentType }).end(text))
  })
  await listen(server, port)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function collect(processes: readonly MeasuredProcess[]): Promise<string> {
  const own = { process: 'supervisor', text: await metricsText() }
  const others = processes.map(async (child) => ({ process: child.name, text: await child.measure(answerMs) }))
  return mergeMetrics([own, ...(await Promise.all(others))])
}

async function listen(server: Server, port: number | undefined): Promise<void> {
  if (port !== undefined) return await listenOn(server, port)
  try {
    await listenOn(server, usualPort)
  } catch {
    await listenOn(server, 0)
  }
}

function listenOn(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) =>
      reject(new StartupError(`Port ${port} on 127.0.0.1 cannot be opened (${error.code}): set MILLRACE_METRICS_PORT.`))
    server.once('error', fail)
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
      server.off('error', fail)
      resolve()
    })
  })
}
