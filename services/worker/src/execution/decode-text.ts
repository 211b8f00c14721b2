import type { Units } from './text-automaton.js'

/** A text with one layer of encoding taken off, and where each of its units comes from. */
export interface Decoded {
  readonly units: Units
  /** The place in the original where each unit begins; one more for the end. */
  readonly starts: Uint32Array
}

const percent = 0x25
const ampersand = 0x26
const backslash = 0x5c
const carriageReturn = 0x0d

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
/** After a backslash, as JSON, JavaScript, Python and shells write them. */
const escaped: ReadonlyMap<number, number> = new Map(
  Object.entries({ n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', '"': '"', "'": "'", '/': '/', '\\': '\\' }).map(
    ([letter, meant]) => [letter.charCodeAt(0), meant.charCodeAt(0)],
  ),
)

export function undecoded(units: Units): Decoded {
  const starts = new Uint32Array(units.length + 1)
  for (let i = 1; i < starts.length; i++) starts[i] = i
  return { units, starts }
}

/** Whether decoding would change anything, or might with what passes for the same. */
export function isPlain(units: Units): boolean {
  for (const unit of units) {
    if (unit === percent || unit === ampersand || unit === backslash || unit === plus || unit === carriageReturn) {
      return false
    }
  }
  return true
}

const plus = 0x2b
const space = 0x20
const slash = 0x2f

/** A plus may be a space, and a backslash a slash in the path of a URL. */
export const withoutDialect = (unit: number): number => (unit === plus ? space : unit === backslash ? slash : unit)

/**
 * Takes one layer off, wherever it stands: how much an encoder touches depends on the encoder and the place. Percent
 * signs of URLs and forms, backslashes of JSON and programs, entities of HTML. Line ends become one unit. Linear.
 */
export function decodeText({ units, starts }: Decoded): Decoded {
  const into = new Uint16Array(units.length)
  const from = new Uint32Array(units.length + 1)
  let length = 0
  const put = (unit: number, start: number) => {
    if (unit === carriageReturn) return
    into[length] = unit
    from[length] = starts[start] ?? 0
    length++
  }
  for (let i = 0; i < units.length; ) {
    const unit = units[i]
    if (unit === percent) i = decodeBytes(units, i, percent, -1, put)
    else if (unit === backslash) i = decodeBackslash(units, i, put)
    else if (unit === ampersand) i = decodeEntity(units, i, put)
    else put(unit ?? 0, i++)
  }
  from[length] = starts[units.length] ?? 0
  return { units: into.subarray(0, length), starts: from.subarray(0, length + 1) }
}

type Put = (unit: number, start: number) => void

/** A byte as `%41` or `\\x41`. Those beyond ASCII are together UTF-8; each character comes from where its bytes began. */
function decodeBytes(units: Units, start: number, mark: number, second: number, put: Put): number {
  const width = second < 0 ? 3 : 4
  const byteAt = (i: number): number =>
    units[i] === mark && (second < 0 || isLetter(units[i + 1], second)) ? hexPair(units, i + width - 2) : -1
  const byte = byteAt(start)
  if (byte < 0x80) {
    put(byte < 0 ? mark : byte, start)
    return byte < 0 ? start + 1 : start + width
  }
  const bytes: number[] = []
  let end = start
  for (let next = byte; next >= 0x80; next = byteAt(end)) {
    bytes.push(next)
    end += width
  }
  putUtf8(Buffer.from(bytes), start, width, put)
  return end
}

function putUtf8(bytes: Buffer, start: number, width: number, put: Put): void {
  const text = bytes.toString('utf8')
  // Not UTF-8: byte by byte.
  const isText = Buffer.from(text).equals(bytes)
  let place = start
  for (const char of isText ? text : bytes.toString('latin1')) {
    for (let k = 0; k < char.length; k++) put(char.charCodeAt(k), place)
    place += width * (isText ? Buffer.byteLength(char) : 1)
  }
}

const isLetter = (unit: number | undefined, lower: number): boolean => unit !== undefined && (unit | 0x20) === lower
const letterU = 0x75
const letterX = 0x78

function decodeBackslash(units: Units, start: number, put: Put): number {
  const next = units[start + 1]
  if (isLetter(next, letterX)) return decodeBytes(units, start, backslash, letterX, put)
  if (isLetter(next, letterU)) {
    const [high, low] = [hexPair(units, start + 2), hexPair(units, start + 4)]
    if (high >= 0 && low >= 0) {
      put(high * 256 + low, start)
      return start + 6
    }
  }
  const meant = next === undefined ? undefined : escaped.get(next)
  put(meant ?? backslash, start)
  return start + (meant === undefined ? 1 : 2)
}

const longestEntity = 9
const semicolon = 0x3b

function decodeEntity(units: Units, start: number, put: Put): number {
  let end = start + 1
  while (end <= start + longestEntity && isOfEntity(units[end])) end++
  const meant = units[end] === semicolon ? entity(String.fromCharCode(...units.subarray(start + 1, end))) : undefined
  if (meant === undefined) {
    put(ampersand, start)
    return start + 1
  }
  for (let k = 0; k < meant.length; k++) put(meant.charCodeAt(k), start)
  return end + 1
}

/** A number sign, a digit or a letter. */
function isOfEntity(unit: number | undefined): boolean {
  if (unit === undefined) return false
  const lower = unit | 0x20
  return unit === 0x23 || (unit >= 0x30 && unit <= 0x39) || (lower >= 0x61 && lower <= 0x7a)
}

function entity(name: string): string | undefined {
  if (!name.startsWith('#')) return named[name.toLowerCase()]
  const number = /^#(?:x([0-9a-f]{1,6})|(\d{1,7}))$/i.exec(name)
  if (!number) return undefined
  const code = number[1] === undefined ? Number(number[2]) : Number.parseInt(number[1], 16)
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined
}

function hexPair(units: Units, index: number): number {
  const [high, low] = [hexDigit(units[index]), hexDigit(units[index + 1])]
  return high < 0 || low < 0 ? -1 : high * 16 + low
}

function hexDigit(unit: number | undefined): number {
  if (unit === undefined) return -1
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30
  const lower = unit | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}
