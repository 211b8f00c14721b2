import { expect, it } from 'vitest'
import { safeTarget } from './after-sign-in'

it('leads back to a page of the console', () => {
  expect(safeTarget('/p/shop/approvals?open=1:ask#x')).toBe('/p/shop/approvals?open=1:ask#x')
  expect(safeTarget(undefined)).toBe('/')
})

it.each([
  '//evil',
  '/\\evil',
  '/\t/evil',
  '/.//evil',
  'https:',
  'https://evil',
  'javascript:alert(1)',
  'evil',
  '/sign-in?to=/sign-in',
])('leads nowhere else, as %j would', (to) => {
  expect(safeTarget(to)).toBe('/')
})
