import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { SecretVault } from './secret-vault.js'

const address = { projectId: 'p', name: 'a' }

test('what was sealed opens at its own address with its own master key, and nowhere else', () => {
  const masterKey = randomBytes(32)
  const sealed = new SecretVault([masterKey]).seal(address, 'a value')
  expect(new SecretVault([masterKey]).open(address, sealed)).toBe('a value')
  expect(() => new SecretVault([randomBytes(32)]).open(address, sealed)).toThrow()
  expect(() => new SecretVault([masterKey]).open({ ...address, name: 'b' }, sealed)).toThrow()
  expect(() => new SecretVault([masterKey]).open({ ...address, projectId: 'q' }, sealed)).toThrow()
})

test('a value does not open with the data key of another', () => {
  const vault = new SecretVault([randomBytes(32)])
  const [one, two] = [vault.seal(address, 'one'), vault.seal(address, 'two')]
  expect(() => vault.open(address, { ...one, wrappedKey: two.wrappedKey })).toThrow()
})
