import type { Tx } from '@millrace/postgres'

export interface Mailing {
  projectId: string
  recipients: readonly string[]
}

/**
 * Counts these mails to each person. The answer takes them one by one, and says which number each is this hour, for the
 * recipient who has had the most from the project. One statement, in one order: two that count at once cannot deadlock.
 */
export async function countMails(tx: Tx, mailings: readonly Mailing[]): Promise<(mailing: Mailing) => number> {
  const wanted = new Map<string, number>()
  for (const key of mailings.flatMap(keysOf)) wanted.set(key, (wanted.get(key) ?? 0) + 1)
  const keys = [...wanted.keys()].sort()
  const { rows } = await tx.query<{ projectId: string; recipient: string; mails: number }>(
    `insert into recipient_mails (project_id, recipient, hour, mails)
     select project_id, recipient, date_trunc('hour', clock_timestamp()), mails
     from unnest($1::uuid[], $2::text[], $3::int[]) as given (project_id, recipient, mails)
     on conflict (project_id, recipient, hour) do update set mails = recipient_mails.mails + excluded.mails
     returning project_id as "projectId", recipient, mails`,
    [keys.map((key) => key.slice(0, 36)), keys.map((key) => key.slice(37)), keys.map((key) => wanted.get(key))],
  )
  const had = new Map(rows.map((row) => [keyOf(row.projectId, row.recipient), row.mails]))
  for (const [key, mails] of wanted) had.set(key, (had.get(key) ?? mails) - mails)
  return (mailing) => {
    const numbers = keysOf(mailing).map((key) => {
      const number = (had.get(key) ?? 0) + 1
      had.set(key, number)
      return number
    })
    return Math.max(0, ...numbers)
  }
}

const keyOf = (projectId: string, recipient: string): string => `${projectId} ${recipient}`

const keysOf = ({ projectId, recipients }: Mailing): string[] =>
  [...new Set(recipients.map((recipient) => recipient.toLowerCase()))].map((recipient) => keyOf(projectId, recipient))
