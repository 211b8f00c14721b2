// TLS from the gateway to the services: its own certificate, and each service believed by its name.

const types = 'type.googleapis.com/envoy'
const tls = `${types}.extensions.transport_sockets.tls.v3`

const fromFile = (name, path) => ({
  name,
  sds_config: { path_config_source: { path }, resource_api_version: 'V3' },
})

/** `iam-grpc` is the service iam. */
const nameOf = (cluster) => `${cluster.replace(/-grpc$/, '')}.millrace.internal`

function transportSocket(cluster, { certificateFile, authorityFile }) {
  const name = nameOf(cluster)
  return {
    name: 'envoy.transport_sockets.tls',
    typed_config: {
      '@type': `${tls}.UpstreamTlsContext`,
      sni: name,
      common_tls_context: {
        tls_params: { tls_minimum_protocol_version: 'TLSv1_2' },
        alpn_protocols: [cluster.endsWith('-grpc') ? 'h2' : 'http/1.1'],
        tls_certificate_sds_secret_configs: [fromFile('service', certificateFile)],
        combined_validation_context: {
          default_validation_context: {
            match_typed_subject_alt_names: [{ san_type: 'DNS', matcher: { exact: name } }],
          },
          validation_context_sds_secret_config: fromFile('authority', authorityFile),
        },
      },
    },
  }
}

/** The given document stays as it is. `services` are the clusters that are services; others, as a collector, are not. */
export function addServiceTls(given, services, files) {
  const document = structuredClone(given)
  // Envoy takes no secret from a file before it has a name.
  document.node = { id: 'gateway', cluster: 'millrace' }
  for (const cluster of document.static_resources.clusters) {
    if (services.includes(cluster.name)) cluster.transport_socket = transportSocket(cluster.name, files)
  }
  return document
}

const secret = (name, content) => ({ resources: [{ '@type': `${tls}.Secret`, name, ...content }] })

/**
 * What Envoy reads the folder by: tls.crt, tls.key and ca.crt in it count anew when one of them is replaced by renaming. While
 * certificate and key do not fit together it goes on with those it has.
 */
export function serviceSecrets(folder) {
  const watched_directory = { path: folder }
  const file = (name) => ({ filename: `${folder}/${name}` })
  return {
    certificate: secret('service', {
      tls_certificate: { certificate_chain: file('tls.crt'), private_key: file('tls.key'), watched_directory },
    }),
    authority: secret('authority', { validation_context: { trusted_ca: file('ca.crt'), watched_directory } }),
  }
}
