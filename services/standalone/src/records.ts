import { constants, setPriority } from 'node:os'
import { createMetadataService, readMetadataConfig } from '@millrace/metadata-service'
import { startTelemetry } from '@millrace/telemetry'
import { runChild } from './children/run-child.js'
import { serviceEnv } from './children/service-env.js'
import type { ChildSettings } from './settings.js'

/**
 * Metadata follows every event of every task. In a process of its own, behind all others when cores are short, it lags
 * under load and catches up after; nobody's task waits for it.
 */
runChild<ChildSettings>((settings) => {
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  const telemetry = startTelemetry({ serviceName: 'metadata' })
  const { metadataHttp: http, metadataPublicGrpc: publicGrpc } = settings.ports
  const metadata = createMetadataService(readMetadataConfig(serviceEnv(settings, 'metadata', { http, publicGrpc })))
  return {
    start: () => metadata.start(),
    drain: async () => undefined,
    async stop() {
      await metadata.stop()
      await telemetry.shutdown()
    },
  }
})
