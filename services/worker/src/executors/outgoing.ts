import { type Egress, parseTarget } from '@millrace/egress'
import type { Circuits, Peer } from '../circuit/circuits.js'
import { callFailure } from './http-failure.js'

/** What every executor needs that calls somebody. */
export interface Outgoing {
  egress: Egress
  circuits: Circuits
}

export function peerOf(url: string): Peer {
  try {
    const { host, port } = parseTarget(url)
    return { host, port }
  } catch (error) {
    throw callFailure(error)
  }
}
