import type { dispatchDefinition } from '@millrace/contracts'
import type { GrpcClient } from '@millrace/grpc'

export type DispatchClient = GrpcClient<typeof dispatchDefinition>

export interface SessionKey {
  id: string
  secret: string
}
