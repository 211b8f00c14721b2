import { type handleBidiStreamingCall, Metadata, type ServerDuplexStream } from '@grpc/grpc-js'
import { authenticate } from './authenticate.js'
import type { DuplexHandler } from './call-types.js'
import { classify } from './classify.js'
import { begin, type Method, type ServerScope } from './server-call.js'
import { toServiceError } from './status-mapping.js'
import { whileAllowed } from './while-allowed.js'

/** Messages of one stream that are handled at a time; with more under way nothing further is read from the peer. */
const MAX_UNDER_WAY = 32

type Call = ServerDuplexStream<unknown, unknown>

/** Reads until the peer ends, the caller's right ends or the server stops, and then lets what is under way be answered. */
function converse(call: Call, answer: (request: unknown) => Promise<unknown>, ending: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    let underWay = 0
    let closing = false
    const settle = () => {
      underWay -= 1
      if (closing && underWay === 0) resolve()
      else if (!closing && call.isPaused()) call.resume()
    }
    const close = () => {
      closing = true
      call.pause()
      if (underWay === 0) resolve()
    }
    call.on('data', (request: unknown) => {
      if (closing) return
      underWay += 1
      if (underWay >= MAX_UNDER_WAY) call.pause()
      answer(request).then((response) => {
        if (response !== undefined && !call.cancelled) call.write(response)
        settle()
      }, reject)
    })
    call.on('end', close)
    call.on('error', reject)
    if (ending.aborted) close()
    else ending.addEventListener('abort', close, { once: true })
  })
}

/** Messages run outside the stream's span: it lasts for minutes, and what they do belongs to the traces of tasks. */
export function serveDuplex(
  scope: ServerScope,
  method: Method,
  handler: DuplexHandler<unknown, unknown>,
): handleBidiStreamingCall<unknown, unknown> {
  const { path, open } = method
  return (call) => {
    const { ctx, finish } = begin(scope, path, call)
    // Until somebody listens an error would end the process.
    call.on('error', () => undefined)
    const run = async () => {
      const waiting = open ? undefined : authenticate(scope.auth, ctx, path)
      if (waiting) await waiting
      await whileAllowed({ ...scope, ctx, method, answers: true }, (ending) => {
        call.sendMetadata(new Metadata())
        return converse(call, handler(ctx), ending)
      })
    }
    run().then(
      () => {
        finish()
        call.end()
      },
      (error: unknown) => {
        const app = classify(error)
        finish(app)
        ctx.abort()
        call.emit('error', toServiceError(app))
      },
    )
  }
}
