import { Metadata, ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js'
import { first } from './authenticate.js'
import { addressOf } from './note-refusal.js'
import { Places } from './places.js'

export interface StrangerLimits {
  /** Streams of health and reflection at once, from one address and from all together. */
  perAddress: number
  inTotal: number
  /** Such a stream ends after so long; who still needs it opens another. */
  maxAgeMs: number
  /** How long a call may be open before its request has come: until then nobody has been asked who they are. */
  requestMs: number
}

const usual: StrangerLimits = { perAddress: 20, inTotal: 500, maxAgeMs: 300_000, requestMs: 10_000 }

/** What needs no token: health and reflection. */
const isOpen = (path: string): boolean => path.startsWith('/grpc.')

/**
 * Bounds what somebody without a credential can keep open. Calls of the API are refused by their metadata already, and
 * their request must come soon; the few open streams are counted by address.
 */
export function boundStrangers(limits: StrangerLimits = usual): ServerInterceptor {
  const open = new Places(limits.perAddress, limits.inTotal)
  return (method, call) => {
    let timer: NodeJS.Timeout | undefined
    let release: () => void = () => undefined
    const finish = () => {
      clearTimeout(timer)
      release()
      release = () => undefined
    }
    const refuse = (code: status, details: string) => {
      finish()
      call.sendStatus({ code, details, metadata: new Metadata() })
    }
    const endAfter = (ms: number, code: status, details: string) => {
      timer = setTimeout(() => refuse(code, details), ms)
      timer.unref()
    }
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata(metadata, pass) {
            if (isOpen(method.path)) {
              const taken = open.take(addressOf(metadata, call.getPeer()))
              if (taken === undefined) return refuse(status.RESOURCE_EXHAUSTED, 'too many open streams')
              release = taken
              endAfter(limits.maxAgeMs, status.UNAVAILABLE, 'the stream is old; open another')
            } else if (first(metadata, 'authorization') === undefined) {
              return refuse(status.UNAUTHENTICATED, 'A bearer token is needed in the metadata.')
            } else endAfter(limits.requestMs, status.DEADLINE_EXCEEDED, 'the request did not come')
            pass(metadata)
          },
          onReceiveMessage(message, pass) {
            if (!isOpen(method.path)) clearTimeout(timer)
            pass(message)
          },
          onReceiveHalfClose: (pass) => pass(),
          onCancel: finish,
        }),
      sendStatus(reply, next) {
        finish()
        next(reply)
      },
    })
  }
}
