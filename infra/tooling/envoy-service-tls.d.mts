/** Where the documents of serviceSecrets are. */
export interface ServiceTlsFiles {
  certificateFile: string
  authorityFile: string
}

/** A copy of an Envoy bootstrap that speaks TLS to the named clusters. */
export function addServiceTls<D extends object>(given: D, services: readonly string[], files: ServiceTlsFiles): D

/** What tells Envoy of the gateway's certificate and the services' authority in a folder. */
export function serviceSecrets(folder: string): { certificate: object; authority: object }
