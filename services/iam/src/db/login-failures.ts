import type { Queryable } from '@millrace/postgres'

export interface LoginLimits {
  /** From one network, or with one device cookie. */
  perAccount: number
  /** From all networks together: high enough that a few hosts cannot lock a person out. */
  perAccountAnywhere: number
  accountWindowMs: number
  perAddress: number
  addressWindowMs: number
  /** The longest that a refusal is held back. */
  maxDelayMs: number
}

/** Who tries what from where, as far as it is counted. */
export interface LoginAttempt {
  account: Buffer
  address: string
  network: string
  /** Of a valid device cookie for this account: its failures count apart from those of the network. */
  device: Buffer | null
}

export interface LoginStanding {
  /** Seconds until another try is allowed; 0 = now. */
  waitSeconds: number
  /** Failures that count together with this try, at most `perAccount`. */
  failures: number
}

const inScope = '((device = $3) or ($3::bytea is null and device is null and network = $2))'

/**
 * Of the newest `limit` failures in a window the oldest decides: once it has left the window there is room for one more.
 * With a device cookie the bound for all networks does not apply, or strangers could lock the device out after all.
 */
const standing = `
with recent as materialized (
  select at, network, device from login_failures
  where account = $1 and at > clock_timestamp() - make_interval(secs => $5 / 1000.0)
), full_windows as (
  (select at + make_interval(secs => $5 / 1000.0) as free_at from recent where ${inScope}
    order by at desc offset $6 limit 1)
  union all
  (select at + make_interval(secs => $5 / 1000.0) from recent where $3::bytea is null and device is null
    order by at desc offset $7 limit 1)
  union all
  (select at + make_interval(secs => $8 / 1000.0) from login_failures
    where address = $4 and at > clock_timestamp() - make_interval(secs => $8 / 1000.0)
    order by at desc offset $9 limit 1)
)
select ceil(extract(epoch from max(free_at) - clock_timestamp()))::int as seconds,
  (select count(*)::int from recent where ${inScope}) as failures
from full_windows`

export async function loginStanding(db: Queryable, attempt: LoginAttempt, limits: LoginLimits): Promise<LoginStanding> {
  const { rows } = await db.query<{ seconds: number | null; failures: number }>({
    name: 'iam-login-standing',
    text: standing,
    values: [
      attempt.account,
      attempt.network,
      attempt.device,
      attempt.address,
      limits.accountWindowMs,
      limits.perAccount - 1,
      limits.perAccountAnywhere - 1,
      limits.addressWindowMs,
      limits.perAddress - 1,
    ],
  })
  const { seconds = null, failures = 0 } = rows[0] ?? {}
  return { waitSeconds: seconds === null ? 0 : Math.max(1, seconds), failures }
}

export async function insertLoginFailure(db: Queryable, attempt: LoginAttempt): Promise<void> {
  await db.query('insert into login_failures (account, address, network, device) values ($1, $2, $3, $4)', [
    attempt.account,
    attempt.address,
    attempt.network,
    attempt.device,
  ])
}

/** Those that counted together with the try that was right; what others tried elsewhere stays counted. */
export async function deleteLoginFailures(db: Queryable, { account, network, device }: LoginAttempt): Promise<void> {
  await db.query(`delete from login_failures where account = $1 and ${inScope}`, [account, network, device])
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
