// Certificates with which services and gateway know each other: an authority of their own, and one certificate for each
// under the name <service>.millrace.internal. `node infra/tooling/service-certificates.mjs [folder]` makes what a folder
// lacks and renews what ends soon; services and Envoy notice by themselves. Needs openssl: Node signs no certificates.
import { spawnSync } from 'node:child_process'
import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { services } from './compose-env.mjs'

export const holders = ['gateway', ...services]

const AUTHORITY_DAYS = 3650
const DAYS = 365
const RENEW_DAYS = 60

function openssl(args, input) {
  const { status, error, stdout, stderr } = spawnSync('openssl', args, { input })
  if (error) throw new Error(`openssl is needed to make certificates: ${error.message}`, { cause: error })
  if (status !== 0) throw new Error(`openssl ${args[0]}: ${stderr}`)
  return stdout
}

const newKey = () =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' })

/** Whole or not at all: somebody may be reading. */
function replace(file, text, mode) {
  writeFileSync(`${file}.new`, text, { mode })
  renameSync(`${file}.new`, file)
}

/** Who signs; its key stays with whoever issues. */
export function makeAuthority(folder, name = 'Millrace services') {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const keyFile = join(folder, 'tls.key')
  writeFileSync(keyFile, newKey(), { mode: 0o600 })
  const constraints = ['basicConstraints=critical,CA:TRUE,pathlen:0', 'keyUsage=critical,keyCertSign,cRLSign']
  const extensions = constraints.flatMap((one) => ['-addext', one])
  const request = ['req', '-x509', '-new', '-sha256', '-key', keyFile, '-subj', `/CN=${name}`]
  replace(join(folder, 'tls.crt'), openssl([...request, '-days', String(AUTHORITY_DAYS), ...extensions]), 0o644)
}

/**
 * tls.crt, tls.key and ca.crt, as cert-manager names them. The files are open to every reader: they go into containers
 * whose user has another number, and the folder above them is closed.
 */
export function issueCertificate(authority, folder, holder, days = DAYS) {
  mkdirSync(folder, { recursive: true, mode: 0o755 })
  const scratch = mkdtempSync(join(tmpdir(), 'millrace-certificate-'))
  try {
    const [keyFile, extensions] = [join(scratch, 'key.pem'), join(scratch, 'extensions')]
    const key = newKey()
    writeFileSync(keyFile, key, { mode: 0o600 })
    const lines = [
      `subjectAltName=DNS:${holder}.millrace.internal`,
      'basicConstraints=critical,CA:FALSE',
      'keyUsage=critical,digitalSignature',
      'extendedKeyUsage=serverAuth,clientAuth',
    ]
    writeFileSync(extensions, `${lines.join('\n')}\n`)
    const asked = openssl(['req', '-new', '-sha256', '-key', keyFile, '-subj', `/CN=${holder}.millrace.internal`])
    const signer = ['-CA', join(authority, 'tls.crt'), '-CAkey', join(authority, 'tls.key'), '-extfile', extensions]
    const cert = openssl(['x509', '-req', '-sha256', ...signer, '-days', String(days)], asked)
    replace(join(folder, 'ca.crt'), readFileSync(join(authority, 'tls.crt')), 0o644)
    replace(join(folder, 'tls.key'), key, 0o644)
    replace(join(folder, 'tls.crt'), cert, 0o644)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

function endsSoon(file) {
  const ends = Date.parse(new X509Certificate(readFileSync(file)).validTo)
  return ends - Date.now() < RENEW_DAYS * 86_400_000
}

/** Makes what is missing and renews what ends soon; says whose certificates were made. */
export function keepCertificates(folder) {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const authority = join(folder, 'authority')
  if (!existsSync(join(authority, 'tls.crt'))) makeAuthority(authority)
  const due = holders.filter((holder) => {
    const file = join(folder, holder, 'tls.crt')
    return !existsSync(file) || endsSoon(file)
  })
  for (const holder of due) issueCertificate(authority, join(folder, holder), holder)
  return due
}

if (process.argv[1] === import.meta.filename) {
  const folder = process.argv[2] ?? join(import.meta.dirname, '../../.tls')
  const made = keepCertificates(folder)
  if (made.length > 0) console.log(`certificates made in ${folder}: ${made.join(', ')}`)
}
