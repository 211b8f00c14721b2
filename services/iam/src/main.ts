import { ConfigError } from '@millrace/config'
import { createLogger } from '@millrace/logger'
import { readIamConfig } from './config.js'
import { createIamService } from './server.js'

async function main(): Promise<void> {
  const config = readIamConfig(process.env)
  const service = createIamService(config, {
    onAdminCreated: ({ email, generatedPassword }) => {
      const shown = generatedPassword === undefined ? '' : `, password ${generatedPassword} (shown this once)`
      process.stdout.write(`administrator: ${email}${shown}\n`)
    },
  })
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      service.stop().then(
        () => process.exit(0),
        () => process.exit(1),
      )
    })
  }
  await service.start()
}

main().catch((error: unknown) => {
  if (error instanceof ConfigError) process.stderr.write(`${error.message}\n`)
  else createLogger({ service: 'iam' }).fatal({ err: error }, 'iam could not start')
  process.exitCode = 1
  setTimeout(() => process.exit(1), 500).unref()
})
