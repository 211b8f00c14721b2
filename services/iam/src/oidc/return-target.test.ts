import { expect, test } from 'vitest'
import { returnTarget } from './return-target.js'

const targetOf = (to?: string) => returnTarget(to, 'https://millrace.example')

test('a login leads back to the page that it was begun from', () => {
  expect(targetOf('/p/shop/approvals?open=1:sign-off#x')).toBe('/p/shop/approvals?open=1:sign-off#x')
  expect(targetOf('/p/shop/runs?q=Größe')).toBe('/p/shop/runs?q=Gr%C3%B6%C3%9Fe')
  expect(targetOf()).toBe('/')
})

test.each([
  '//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/\n\\evil.example',
  '/.//evil.example',
  '/a/..//evil.example',
  'https://evil.example',
  'https:evil.example',
  'https:',
  'javascript:alert(1)',
  'evil.example',
  ' //evil.example',
  '//',
  '/api/v1/auth/oidc/start?provider=corp',
  '/x/../api',
  `/${'x'.repeat(1_500)}`,
  '',
])('%j is no page of the console', (to) => {
  expect(targetOf(to)).toBe('/')
})
