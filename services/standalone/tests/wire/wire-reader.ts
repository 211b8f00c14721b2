/** What a strict reader makes of the bytes of one connection to a service; RFC 9112, without anything it lets readers guess. */
export class WireReader {
  readonly requests: { line: string; headers: readonly [name: string, value: string][] }[] = []
  fault: string | undefined
  private rest: Buffer = Buffer.alloc(0)
  private state: 'head' | 'sized' | 'chunk-size' | 'chunk' | 'trailer' = 'head'
  private bodyLeft = 0

  /** Bytes of a request that is not whole yet have come. */
  get isWithinRequest(): boolean {
    return this.state !== 'head' || this.rest.byteLength > 0
  }

  push(chunk: Buffer): void {
    this.rest = this.rest.byteLength === 0 ? chunk : Buffer.concat([this.rest, chunk])
    while (this.fault === undefined && this.step());
    if (this.fault !== undefined) this.rest = Buffer.alloc(0)
  }

  /** False when it needs more bytes. */
  private step(): boolean {
    if (this.state === 'head') return this.readHead()
    if (this.state === 'chunk-size') return this.readLine((line) => this.startChunk(line))
    if (this.state === 'trailer') return this.readLine((line) => this.endBody(line))
    if (this.rest.byteLength === 0) return false
    if (this.state === 'chunk') return this.readChunk()
    const taken = Math.min(this.bodyLeft, this.rest.byteLength)
    this.rest = this.rest.subarray(taken)
    this.bodyLeft -= taken
    if (this.bodyLeft === 0) this.state = 'head'
    return true
  }

  private readHead(): boolean {
    const end = this.rest.indexOf('\r\n\r\n')
    if (end < 0) return false
    const [line = '', ...fields] = this.rest.subarray(0, end).toString('latin1').split('\r\n')
    this.rest = this.rest.subarray(end + 4)
    if (!/^[A-Z]+ [\x21-\x7e]+ HTTP\/1\.1$/.test(line)) return this.fail('request line', line)
    const headers: [string, string][] = []
    for (const field of fields) {
      const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)$/.exec(field) ?? []
      if (name === undefined || value === undefined) return this.fail('header', field)
      headers.push([name.toLowerCase(), value])
    }
    this.requests.push({ line, headers })
    return this.startBody(headers)
  }

  private startBody(headers: readonly [string, string][]): boolean {
    const valuesOf = (name: string) => headers.filter(([each]) => each === name).map(([, value]) => value)
    const [lengths, codings] = [valuesOf('content-length'), valuesOf('transfer-encoding')]
    if (valuesOf('host').length !== 1) return this.fail('host', valuesOf('host').join())
    if (lengths.length + codings.length > 1) return this.fail('framing', [...lengths, ...codings].join())
    if (lengths.some((length) => !/^\d{1,15}$/.test(length))) return this.fail('length', lengths.join())
    if (codings.some((coding) => coding !== 'chunked')) return this.fail('coding', codings.join())
    this.bodyLeft = Number(lengths[0] ?? 0)
    if (codings.length > 0) this.state = 'chunk-size'
    else if (this.bodyLeft > 0) this.state = 'sized'
    return true
  }

  private readLine(use: (line: string) => boolean): boolean {
    const end = this.rest.indexOf('\r\n')
    if (end < 0) return false
    const line = this.rest.subarray(0, end).toString('latin1')
    this.rest = this.rest.subarray(end + 2)
    return use(line)
  }

  private startChunk(line: string): boolean {
    if (!/^[0-9a-f]{1,12}$/i.test(line)) return this.fail('chunk size', line)
    this.bodyLeft = Number.parseInt(line, 16)
    this.state = this.bodyLeft === 0 ? 'trailer' : 'chunk'
    return true
  }

  private readChunk(): boolean {
    const taken = Math.min(this.bodyLeft, this.rest.byteLength)
    this.rest = this.rest.subarray(taken)
    this.bodyLeft -= taken
    if (this.bodyLeft > 0 || this.rest.byteLength < 2) return false
    if (this.rest.subarray(0, 2).toString('latin1') !== '\r\n') return this.fail('end of a chunk', '')
    this.rest = this.rest.subarray(2)
    this.state = 'chunk-size'
    return true
  }

  /** Neither gateway has trailers to give. */
  private endBody(line: string): boolean {
    if (line !== '') return this.fail('trailer', line)
    this.state = 'head'
    return true
  }

  private fail(what: string, shown: string): false {
    this.fault = `${what}: ${JSON.stringify(shown)}`
    return false
  }
}
