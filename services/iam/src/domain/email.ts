import { unprocessable } from '@millrace/errors'

const shape =
  /^[^\s@"(),:;<>[\\\]\p{Cc}]{1,64}@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/u

/** One form for each mailbox, so that `A@x.org` cannot register beside `a@x.org`. */
export const normaliseEmail = (email: string): string => email.trim().normalize('NFKC').toLowerCase()

export function parseEmail(email: string): string {
  const normal = normaliseEmail(email)
  if (normal.length <= 254 && shape.test(normal)) return normal
  throw unprocessable('invalid_email', 'The email address is not valid.', [
    { path: '/email', code: 'invalid', message: 'is not an email address' },
  ])
}
