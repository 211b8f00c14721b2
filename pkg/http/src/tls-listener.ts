import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { ServiceTls } from '@millrace/identity'
import { builtIn } from './dispatcher.js'

/** Connections that are open go on with the certificates they began with. */
export function createTlsListener(tls: ServiceTls, app: RequestListener): Server {
  const options = { minVersion: 'TLSv1.2', requestCert: true, rejectUnauthorized: true } as const
  const server = createTlsServer({ ...options, ...tls.current }, app)
  const forget = tls.onChange((material) => server.setSecureContext(material))
  return server.once('close', forget)
}

/** For those that probe and measure, which have no certificate: nothing else is answered there. */
export function createProbes(app: RequestListener): Server {
  return createServer((req, res) => {
    if (builtIn.has(req.url?.split('?')[0] ?? '')) app(req, res)
    else res.writeHead(404).end()
  })
}
