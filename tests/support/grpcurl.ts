import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cached } from '@millrace/stack-servers'
import type { GrpcAnswer, GrpcCaller } from './public-grpc.js'

const VERSION = 'v1.9.3'
const run = promisify(execFile)

/** The program itself, built once. */
export async function grpcurlBinary(): Promise<string> {
  const folder = await cached(`grpcurl-${VERSION}`, async (draft) => {
    const env = { ...process.env, GOBIN: draft, GOFLAGS: '-buildvcs=false -modcacherw' }
    await run('go', ['install', `github.com/fullstorydev/grpcurl/cmd/grpcurl@${VERSION}`], { env })
  })
  return join(folder, 'grpcurl')
}

interface Exit {
  code: number
  stdout: string
}

/** As people use it: `list`, `describe` and a call by name, with JSON. */
export class Grpcurl implements GrpcCaller {
  constructor(
    private readonly binary: string,
    private readonly address: string,
    /** How long a stream that does not end is read. */
    private readonly streamSeconds = 3,
  ) {}

  async services(): Promise<string[]> {
    return lines(await this.run('list'))
  }

  async methods(service: string): Promise<string[]> {
    return lines(await this.run('list', service)).map((name) => name.replace(/\.(?=\w+$)/, '/'))
  }

  describe(symbol: string): Promise<string> {
    return this.run('describe', symbol)
  }

  async call(method: string, requests: object[], token?: string): Promise<GrpcAnswer> {
    const headers = token === undefined ? [] : ['-H', `authorization: Bearer ${token}`]
    const data = ['-d', requests.map((request) => JSON.stringify(request)).join('\n')]
    const limit = ['-max-time', String(this.streamSeconds)]
    const options = ['-plaintext', ...(streams.test(method) ? limit : []), ...headers, ...data]
    const { code, stdout } = await this.exec(...options, this.address, method)
    const messages = stdout
      .split(/(?<=^\})\n/m)
      .filter((text) => text.trim() !== '')
      .map((text) => JSON.parse(text) as Record<string, unknown>)
    // A stream that was open until its time was over went well.
    return { code: code === deadlineExceeded && messages.length > 0 ? 0 : code, messages }
  }

  private async run(...args: string[]): Promise<string> {
    const { code, stdout } = await this.exec('-plaintext', this.address, ...args)
    if (code !== 0) throw new Error(`grpcurl ${args.join(' ')} ended with code ${code}`)
    return stdout
  }

  private exec(...args: string[]): Promise<Exit> {
    return run(this.binary, args).then(
      ({ stdout }) => ({ code: 0, stdout }),
      ({ code, stdout }: { code?: unknown; stdout?: string }) => {
        // It ends with 64 and the code of the call.
        if (typeof code !== 'number' || code <= 64) throw new Error(`grpcurl ${args.join(' ')} could not be run`)
        return { code: code - 64, stdout: stdout ?? '' }
      },
    )
  }
}

const deadlineExceeded = 4
const streams = /\/(Watch|WatchRun|Commands|Work|ServerReflectionInfo)$/

const lines = (text: string): string[] => text.trim().split('\n')
