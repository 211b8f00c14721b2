import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runTool, ServerError } from '@millrace/stack-servers'
import { adoptMasterKey, StartupError } from '@millrace/standalone-service'
import { importEnv, type ServiceSettings } from './service-specs.js'

const setup = fileURLToPath(new URL('../../../../services/setup/dist/main.js', import.meta.url))

/** Into a stack that has nothing yet: two histories cannot become one. */
export function adoptKey(dataDir: string, folder: string): void {
  if (existsSync(join(dataDir, 'secrets.json'))) {
    throw new StartupError(`${dataDir} has data already. Import into a new one: set MILLRACE_DATA_DIR.`)
  }
  for (const name of ['database.dump', 'master-key']) {
    if (!existsSync(join(folder, name))) throw new StartupError(`${folder} has no ${name}: make export writes it.`)
  }
  adoptMasterKey(dataDir, readFileSync(join(folder, 'master-key'), 'utf8').trim())
}

/** All or nothing. Owners and rights are not the dump's: each service's role is given its schema afterwards. */
export async function restoreDump(databaseUrl: string, folder: string): Promise<void> {
  const url = new URL(databaseUrl)
  const password = decodeURIComponent(url.password)
  url.password = ''
  const how = ['--no-owner', '--no-privileges', '--exit-on-error', '--single-transaction', `--dbname=${url.href}`]
  await asStartup(
    runTool('pg_restore', [...how, join(folder, 'database.dump')], {
      purpose: 'to restore the dump',
      env: { PGPASSWORD: password },
    }),
  )
}

export async function importRest(settings: ServiceSettings, adminUrl: string, folder: string): Promise<void> {
  await asStartup(
    runTool(process.execPath, [setup, 'import', folder], {
      purpose: 'to import documents, logs and files',
      env: importEnv(settings, adminUrl),
    }),
  )
}

async function asStartup(work: Promise<void>): Promise<void> {
  await work.catch((error: unknown) => {
    throw error instanceof ServerError ? new StartupError(error.message, { cause: error }) : error
  })
}
