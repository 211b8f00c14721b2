import { request } from 'node:http'

/** Sent as written: fetch would tidy the path and refuse some headers. */
export function rawCall(
  base: string,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string | Buffer,
): Promise<{ status: number; headers: Headers; text: string }> {
  const { hostname, port } = new URL(base)
  return new Promise((resolve, reject) => {
    const req = request({ hostname, port, path, method, headers }, (res) => {
      let text = ''
      res.on('data', (chunk: Buffer) => {
        text += chunk.toString()
      })
      res.on('end', () => {
        const entries = Object.entries(res.headers).map(([name, value]): [string, string] => [name, String(value)])
        resolve({ status: res.statusCode ?? 0, headers: new Headers(entries), text })
      })
      res.on('error', reject)
    })
    req.on('error', reject)
    req.end(body)
  })
}
