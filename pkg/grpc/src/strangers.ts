import { Metadata, ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js'
import { first } from './authenticate.js'

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
  const open = new OpenStreams(limits)
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
              const taken = open.take(first(metadata, 'x-forwarded-for') ?? call.getPeer().replace(/:\d{1,5}$/, ''))
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

class OpenStreams {
  private readonly byAddress = new Map<string, number>()
  private total = 0

  constructor(private readonly limits: StrangerLimits) {}

  /** Undefined when there are enough; else what gives the place back. */
  take(address: string): (() => void) | undefined {
    const count = this.byAddress.get(address) ?? 0
    if (count >= this.limits.perAddress || this.total >= this.limits.inTotal) return undefined
    this.byAddress.set(address, count + 1)
    this.total += 1
    return () => {
      const left = (this.byAddress.get(address) ?? 1) - 1
      if (left === 0) this.byAddress.delete(address)
      else this.byAddress.set(address, left)
      this.total -= 1
    }
  }
}
