import { EventSourceParserStream } from 'eventsource-parser/stream'

export interface ServerEvent {
  event: string
  id: string | undefined
  data: unknown
}

export async function* readEvents(response: Response): AsyncGenerator<ServerEvent> {
  const body = response.body as ReadableStream<Uint8Array<ArrayBuffer>>
  const events = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
  for await (const { event, id, data } of events as unknown as AsyncIterable<{
    event?: string
    id?: string
    data: string
  }>) {
    yield { event: event ?? 'message', id, data: JSON.parse(data) }
  }
}

/** Ends when the answer does; a cut in the middle of a line is an error. */
export async function* readLines<T>(response: Response): AsyncGenerator<T> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line !== '') yield JSON.parse(line) as T
  }
  if (rest !== '') throw new Error(`the stream ended within a line: ${rest}`)
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}
