import { describe, expect, it } from 'vitest'
import { headerFaults, masked, maskHeaders, unmaskHeaders } from './webhook-headers.js'

describe('webhook headers', () => {
  it.each([
    'Connection',
    'HOST',
    'content-length',
    'Webhook-Id',
    'webhook-signature',
    'Transfer-Encoding',
    'Proxy-Anything',
    'X-Millrace-Identity',
    'traceparent',
    'Content-Type',
  ])('keeps %s to itself', (name) => {
    expect(headerFaults({ [name]: 'x' })).toMatchObject([{ code: 'header_reserved' }])
  })

  it.each([
    ['a b', 'x'],
    ['', 'x'],
    ['x:y', 'x'],
    ['x', 'a\nb'],
    ['x', 'a\0'],
    ['x', 'ü'],
  ])('refuses %j: %j', (name, value) => {
    expect(headerFaults({ [name]: value })).toMatchObject([{ code: 'header_invalid' }])
  })

  it('lets credentials and the rest through, once', () => {
    expect(headerFaults({ Authorization: 'Bearer x', 'X-Team': '' })).toEqual([])
    expect(headerFaults({ 'X-A': '1', 'x-a': '2' })).toMatchObject([{ code: 'header_repeated' }])
  })

  it('shows names, hides what looks like a credential, and takes the hidden form back', () => {
    const stored = { Authorization: 'Bearer x', 'X-Api-Key': 'k', 'X-Team': 'shop' }
    const shown = maskHeaders(stored)
    expect(shown).toEqual({ Authorization: masked, 'X-Api-Key': masked, 'X-Team': 'shop' })
    expect(unmaskHeaders({ ...shown, 'X-Team': 'ops' }, stored)).toEqual({ ...stored, 'X-Team': 'ops' })
    expect(unmaskHeaders({ 'X-New-Key': masked }, stored)).toEqual({ 'X-New-Key': masked })
  })
})
