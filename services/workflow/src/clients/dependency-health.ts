import { Client, credentials } from '@grpc/grpc-js'

const timeoutMs = 2_000

/** grpc.health.v1.HealthCheckResponse { status = 1 }: SERVING is 1. One field needs no generated code. */
const serving = Buffer.from([0x08, 0x01])

/** Whether the thing behind a URL says that it is ready. Never throws. */
export async function isHealthy(url: string): Promise<boolean> {
  try {
    return url.startsWith('grpc://') ? await grpcHealthy(url.slice('grpc://'.length)) : await httpHealthy(url)
  } catch {
    return false
  }
}

async function httpHealthy(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) })
  await response.arrayBuffer()
  return response.ok
}

function grpcHealthy(address: string): Promise<boolean> {
  const client = new Client(address, credentials.createInsecure())
  return new Promise((resolve) => {
    client.makeUnaryRequest(
      '/grpc.health.v1.Health/Check',
      (request: Buffer) => request,
      (response: Buffer) => response,
      Buffer.alloc(0),
      { deadline: Date.now() + timeoutMs },
      (error, response) => {
        client.close()
        resolve(!error && response !== undefined && serving.equals(response))
      },
    )
  })
}
