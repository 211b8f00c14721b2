import { describe, expect, it } from 'vitest'
import { readTarget } from './request-target.js'

describe('reading a request’s target', () => {
  it.each([
    ['/a/b?c=d', '/a/b', '?c=d'],
    ['/.well-known/jwks.json', '/.well-known/jwks.json', ''],
    ['/a/./b/../c', '/a/c', ''],
    ['/a/%2E/b/%2e%2E/c', '/a/c', ''],
    ['/a/..', '/', ''],
    ['/a/b/.', '/a/b/', ''],
    ['/a/b/..', '/a/', ''],
    ['/...', '/...', ''],
    ['/a/..b/.c.', '/a/..b/.c.', ''],
    ['/a?x=/../..//%2f', '/a', '?x=/../..//%2f'],
    ['/%C3%A9', '/%C3%A9', ''],
    ['/a%252Fb', '/a%252Fb', ''],
  ])('%s', (url, path, query) => {
    expect(readTarget(url)).toEqual({ path, query })
  })

  it.each([
    '',
    'a',
    '*',
    '//',
    '/a//b',
    '/a/../..',
    '/..',
    '/%2e%2e',
    '/a%2fb',
    '/a%5Cb',
    '/a\\b',
    '/a#b',
    '/a?b#c',
    '/%',
    '/%4',
    '/%gg',
    '/%80',
    '/a\tb',
    '/a b',
    '/é',
    'http://h/a',
    '/a?é',
    '/%1f',
  ])('refuses %j', (url) => {
    expect(readTarget(url)).toBeUndefined()
  })
})
