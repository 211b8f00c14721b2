import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext, type PeerCertificate } from 'node:tls'
import type { ServiceName } from './service-name.js'
import { type TlsFiles, type TlsLog, watchTlsFiles } from './tls-files.js'

/** Who has a certificate of the inside: the services, and the gateway that calls them. */
export type CertificateHolder = ServiceName | 'gateway'

/** A name of its own and no host's: certificates say who somebody is, wherever it runs. */
export const certificateName = (holder: CertificateHolder): string => `${holder}.millrace.internal`

export interface ServiceTlsFiles extends TlsFiles {
  /** PEM: the authorities that certificates of the inside come from; two while one is replaced. */
  readonly ca: string
}

export interface TlsMaterial {
  readonly cert: Buffer
  readonly key: Buffer
  readonly ca: Buffer
}

/** A peer to call, and with what. */
export interface PeerTls {
  readonly own: ServiceTls
  readonly peer: ServiceName
}

/** The certificate with which a service serves and calls others of the inside, as its files have it now. */
export class ServiceTls {
  private material: TlsMaterial
  private readonly users = new Set<(material: TlsMaterial) => void>()
  private watchers = 0
  private unwatch: (() => void) | undefined

  /**
   * Throws when a file is missing, the files do not fit together, or the certificate is another's. `probePort` is where
   * `/healthz`, `/readyz` and `/metrics` are served without TLS.
   */
  constructor(
    readonly name: CertificateHolder,
    private readonly files: ServiceTlsFiles,
    readonly probePort?: number,
  ) {
    this.material = read(name, files)
  }

  get current(): TlsMaterial {
    return this.material
  }

  /** `use` is given what the files hold from the next change on. */
  onChange(use: (material: TlsMaterial) => void): () => void {
    this.users.add(use)
    return () => this.users.delete(use)
  }

  /** From now until all who asked for it have called what is returned, changed files are read. */
  watch(logger: TlsLog): () => void {
    const { cert, key, ca } = this.files
    this.watchers += 1
    this.unwatch ??= watchTlsFiles([cert, key, ca], () => this.reload(), logger)
    let watching = true
    return () => {
      if (!watching) return
      watching = false
      this.watchers -= 1
      if (this.watchers > 0) return
      this.unwatch?.()
      this.unwatch = undefined
    }
  }

  private reload(): void {
    this.material = read(this.name, this.files)
    for (const use of this.users) use(this.material)
  }
}

function read(name: CertificateHolder, files: ServiceTlsFiles): TlsMaterial {
  const material = { cert: readFileSync(files.cert), key: readFileSync(files.key), ca: readFileSync(files.ca) }
  createSecureContext(material)
  // A file without any certificate would pass as an authority of nobody.
  new X509Certificate(material.ca)
  const own = certificateName(name)
  if (new X509Certificate(material.cert).checkHost(own, { wildcards: false, subject: 'never' }) === undefined) {
    throw new Error(`the certificate in ${files.cert} has no DNS name ${own}`)
  }
  return material
}

/** Whether a certificate, which the handshake has already checked, belongs to this holder. */
export function isHeldBy(certificate: PeerCertificate | undefined, holder: CertificateHolder): boolean {
  const names = certificate?.subjectaltname?.split(', ') ?? []
  return names.includes(`DNS:${certificateName(holder)}`)
}
