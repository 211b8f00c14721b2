import { runService } from '@millrace/service-runner'
import { readIamConfig } from './config.js'
import type { AdminCredentials } from './context.js'
import { createIamService } from './server.js'

function showAdmin({ email, generatedPassword }: AdminCredentials): void {
  const shown = generatedPassword === undefined ? '' : `, password ${generatedPassword} (shown this once)`
  process.stdout.write(`administrator: ${email}${shown}\n`)
}

await runService({
  name: 'iam',
  readConfig: readIamConfig,
  create: (config, deps) => createIamService(config, { ...deps, onAdminCreated: showAdmin }),
})
