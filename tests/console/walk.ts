import type { Page } from 'playwright-core'
import type { Account } from '../support/client.js'

type Person = Pick<Account, 'email' | 'password'>

/** Opens a page as a link in a mail does: by way of signing in. */
export async function openSignedIn(page: Page, { email, password }: Person, path: string): Promise<void> {
  await page.goto(path)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

export async function signIn(page: Page, person: Person): Promise<void> {
  await openSignedIn(page, person, '/')
  await page.getByRole('navigation', { name: 'Rooms' }).waitFor()
}

/** A workflow with everything that a run page draws: a retried task, a map, an approval. */
export const orderTasks = {
  fetch: { uses: 'noop', with: { output: { total: 3 } } },
  check: { needs: ['fetch'], uses: 'sleep', with: { duration: '300ms' } },
  pay: {
    needs: ['fetch'],
    uses: 'fail',
    with: { times: 1, class: 'network', message: 'connection reset by peer' },
    retry: { maxAttempts: 3, delay: '100ms' },
  },
  parcels: {
    needs: ['pay', 'check'],
    uses: 'map',
    with: {
      items: '${{ [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] }}',
      task: { uses: 'noop', with: { output: '${{ item }}' } },
    },
  },
  'sign-off': { needs: ['parcels'], uses: 'approval', with: { role: 'operator', message: 'Ship it?' } },
  tell: { needs: ['sign-off'], uses: 'noop' },
}
