import { createHmac } from 'node:crypto'
import { prepareServiceDatabases } from '@millrace/events'
import { mayCreateRoles } from '@millrace/postgres'
import { type DatabaseUrls, sameUrlForAll, storingServices } from './children-settings.js'
import { StartupError } from './startup-error.js'

export interface ServiceDatabases {
  urls: DatabaseUrls
  /** False when the account of DATABASE_URL may not create roles: then all services use it. */
  separate: boolean
}

/** Passwords of roles are derived, so that nothing more is to be kept and every start means the same. */
export async function openServiceDatabases(adminUrl: string, masterKey: string): Promise<ServiceDatabases> {
  if (!(await mayCreateRoles(adminUrl))) return { urls: sameUrlForAll(adminUrl), separate: false }
  const password = (name: string) => createHmac('sha256', masterKey).update(`postgres/${name}`).digest('base64url')
  const passwords = Object.fromEntries([...storingServices, 'events'].map((name) => [name, password(name)]))
  try {
    return { urls: (await prepareServiceDatabases(adminUrl, passwords)) as DatabaseUrls, separate: true }
  } catch (error) {
    throw new StartupError(`The services' database roles could not be made: ${(error as Error).message}`, {
      cause: error,
    })
  }
}
