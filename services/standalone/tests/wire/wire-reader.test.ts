import { expect, test } from 'vitest'
import { chunked, request, sized } from './request-bytes.js'
import { WireReader } from './wire-reader.js'

function read(bytes: string, pieceLength = bytes.length): WireReader {
  const reader = new WireReader()
  for (let at = 0; at < bytes.length; at += pieceLength)
    reader.push(Buffer.from(bytes.slice(at, at + pieceLength), 'latin1'))
  return reader
}

const get = request('GET /a HTTP/1.1', [])
const posted = request('POST /b HTTP/1.1', [sized('GET / HTTP/1.1\r\n\r\n')], 'GET / HTTP/1.1\r\n\r\n')
const inChunks = request('PUT /c HTTP/1.1', ['transfer-encoding: chunked'], chunked('ab', '0\r\n\r\nGET'))

test.each([1, 2, 7, 10_000])('reads whole requests one after another, in pieces of %i bytes', (pieceLength) => {
  const { fault, requests, isWithinRequest } = read(get + posted + inChunks + get, pieceLength)
  expect([fault, isWithinRequest]).toEqual([undefined, false])
  expect(requests.map(({ line }) => line)).toEqual([
    ...['GET /a HTTP/1.1', 'POST /b HTTP/1.1', 'PUT /c HTTP/1.1', 'GET /a HTTP/1.1'],
  ])
})

test.each([get.slice(0, 9), posted.slice(0, -3), inChunks.slice(0, -2)])('knows that more must come: %j', (bytes) => {
  const { fault, isWithinRequest } = read(get + bytes)
  expect([fault, isWithinRequest]).toEqual([undefined, true])
})

test.each([
  ['request line', `${get}\r\n${get}`],
  ['request line', request('get /a HTTP/1.1', [])],
  ['request line', request('GET /a b HTTP/1.1', [])],
  ['request line', request('GET /a HTTP/1.0', [])],
  ['host', request('GET /a HTTP/1.1', ['Host: y'])],
  ['header', request('GET /a HTTP/1.1', ['A : b'])],
  ['header', request('GET /a HTTP/1.1', ['A: b', ' folded'])],
  ['header', request('GET /a HTTP/1.1', ['A: b\nC: d'])],
  ['framing', request('POST /a HTTP/1.1', [sized(''), 'transfer-encoding: chunked'], chunked())],
  ['framing', request('POST /a HTTP/1.1', [sized('a'), sized('a')], 'a')],
  ['length', request('POST /a HTTP/1.1', ['content-length: +1'], 'a')],
  ['coding', request('POST /a HTTP/1.1', ['transfer-encoding: xchunked'], chunked())],
  ['chunk size', request('POST /a HTTP/1.1', ['transfer-encoding: chunked'], '2;x\r\nab\r\n0\r\n\r\n')],
  ['end of a chunk', request('POST /a HTTP/1.1', ['transfer-encoding: chunked'], '2\r\nabc\r\n0\r\n\r\n')],
  ['trailer', request('POST /a HTTP/1.1', ['transfer-encoding: chunked'], '0\r\nA: b\r\n\r\n')],
])('finds a fault in its %s', (what, bytes) => {
  expect(read(get + bytes).fault).toMatch(new RegExp(`^${what}: `))
})
