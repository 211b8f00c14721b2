import type { Queryable } from '@millrace/postgres'

export interface LoginLimits {
  perAccount: number
  accountWindowMs: number
  perAddress: number
  addressWindowMs: number
}

/**
 * Seconds until another try is allowed; 0 = now. Of the newest `limit` failures in the window the oldest decides: once
 * it has left the window there is room for one more.
 */
export async function secondsToWait(
  db: Queryable,
  account: Buffer,
  address: string,
  limits: LoginLimits,
): Promise<number> {
  const { rows } = await db.query<{ seconds: number | null }>({
    name: 'iam-login-wait',
    text: `select ceil(extract(epoch from max(free_at) - clock_timestamp()))::int as seconds from (
        (select at + make_interval(secs => $3 / 1000.0) as free_at from login_failures
          where account = $1 and at > clock_timestamp() - make_interval(secs => $3 / 1000.0)
          order by at desc offset $4 limit 1)
        union all
        (select at + make_interval(secs => $5 / 1000.0) from login_failures
          where address = $2 and at > clock_timestamp() - make_interval(secs => $5 / 1000.0)
          order by at desc offset $6 limit 1)
      ) as full_windows`,
    values: [
      account,
      address,
      limits.accountWindowMs,
      limits.perAccount - 1,
      limits.addressWindowMs,
      limits.perAddress - 1,
    ],
  })
  const seconds = rows[0]?.seconds ?? null
  return seconds === null ? 0 : Math.max(1, seconds)
}

export async function insertLoginFailure(db: Queryable, account: Buffer, address: string): Promise<void> {
  await db.query('insert into login_failures (account, address) values ($1, $2)', [account, address])
}

export async function deleteLoginFailuresOf(db: Queryable, account: Buffer): Promise<void> {
  await db.query('delete from login_failures where account = $1', [account])
}

export async function deleteOldLoginFailures(db: Queryable, olderThanMs: number): Promise<void> {
  await db.query(
    `delete from login_failures where id in (select id from login_failures
       where at < clock_timestamp() - make_interval(secs => $1 / 1000.0) limit 5000)`,
    [olderThanMs],
  )
}
