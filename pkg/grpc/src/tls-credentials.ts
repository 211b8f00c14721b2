import { type ChannelCredentials, type ChannelOptions, experimental, type ServerCredentials } from '@grpc/grpc-js'
import { certificateName, type PeerTls, type ServiceTls, type TlsMaterial } from '@millrace/identity'

type CaListener = experimental.CaCertificateUpdateListener
type OwnListener = experimental.IdentityCertificateUpdateListener

/** Tells the library of a service's certificate and its authorities, now and whenever the files change. */
class Certificates implements experimental.CertificateProvider {
  private readonly ca = new Set<CaListener>()
  private readonly own = new Set<OwnListener>()
  private stop: (() => void) | undefined

  constructor(private readonly tls: ServiceTls) {}

  addCaCertificateListener(listener: CaListener): void {
    this.add(this.ca, listener)
    process.nextTick(() => this.tell(this.tls.current, [listener], []))
  }

  removeCaCertificateListener(listener: CaListener): void {
    this.remove(this.ca, listener)
  }

  addIdentityCertificateListener(listener: OwnListener): void {
    this.add(this.own, listener)
    process.nextTick(() => this.tell(this.tls.current, [], [listener]))
  }

  removeIdentityCertificateListener(listener: OwnListener): void {
    this.remove(this.own, listener)
  }

  private add<T>(to: Set<T>, listener: T): void {
    to.add(listener)
    this.stop ??= this.tls.onChange((material) => this.tell(material, this.ca, this.own))
  }

  private remove<T>(from: Set<T>, listener: T): void {
    from.delete(listener)
    if (this.ca.size + this.own.size > 0) return
    this.stop?.()
    this.stop = undefined
  }

  private tell({ ca, cert, key }: TlsMaterial, toCa: Iterable<CaListener>, toOwn: Iterable<OwnListener>): void {
    for (const listener of toCa) listener({ caCertificate: ca })
    for (const listener of toOwn) listener({ certificate: cert, privateKey: key })
  }
}

/** One a service: the library shares connections of clients whose providers are the same. */
const providers = new WeakMap<ServiceTls, Certificates>()

function certificatesOf(tls: ServiceTls): Certificates {
  const provider = providers.get(tls) ?? new Certificates(tls)
  providers.set(tls, provider)
  return provider
}

/** Only callers with a certificate of the authorities are let in. */
export function serverCredentials(tls: ServiceTls): ServerCredentials {
  const certificates = certificatesOf(tls)
  return experimental.createCertificateProviderServerCredentials(certificates, certificates, true)
}

export function channelCredentials({ own }: PeerTls): ChannelCredentials {
  const certificates = certificatesOf(own)
  return experimental.createCertificateProviderChannelCredentials(certificates, certificates)
}

/** The peer is believed by the service's name, not by its address. */
export const peerName = ({ peer }: PeerTls): ChannelOptions => ({
  'grpc.ssl_target_name_override': certificateName(peer),
})
