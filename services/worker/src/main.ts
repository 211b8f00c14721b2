import { createLogger } from '@millrace/logger'
import { readWorkerConfig } from './config.js'
import { createWorkerService } from './server.js'

const logger = createLogger({ service: 'worker' })

async function main(): Promise<void> {
  const config = readWorkerConfig(process.env)
  const service = createWorkerService(config, { onDrained: () => end() })
  let ending = false
  function end(drainTimeoutMs?: number): void {
    if (ending) return
    ending = true
    service.stop(drainTimeoutMs).then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ err: error }, 'the worker did not stop cleanly')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', () => end())
  process.on('SIGINT', () => end())
  if (config.exitWithParent) {
    // The parent took the scheduler along: there is nobody to finish for.
    process.on('disconnect', () => end(0))
    if (!process.connected) return end(0)
  }
  await service.start()
}

main().catch((error: unknown) => {
  logger.fatal({ err: error }, error instanceof Error ? error.message : 'the worker could not start')
  process.exitCode = 1
})
