// The plain form alone: no display names, comments, quotes or lists, so nothing in an address can mean more than one
// recipient or end a header line. Internationalised local parts are refused with everything outside ASCII.
const plainAddress =
  /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/

export const isMailAddress = (value: string): boolean => value.length <= 254 && plainAddress.test(value)
