import type { Queryable } from '@millrace/postgres'

export interface OpenCircuit {
  uses: string
  peer: string
  /** RFC 3339: when it is tried again. */
  retryAt: string
}

export async function saveCircuits(
  client: Queryable,
  sessionId: string,
  circuits: readonly OpenCircuit[],
): Promise<void> {
  await client.query({
    name: 'save-circuits',
    text: `update sessions set circuits = $2 where id = $1 and state <> 'ended'`,
    values: [sessionId, JSON.stringify(circuits)],
  })
}
