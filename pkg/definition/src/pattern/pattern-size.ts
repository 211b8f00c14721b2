/**
 * An upper bound for the instructions that a pattern compiles to, from its text alone: RE2 writes `x{n,m}` out m times,
 * so that a few hundred characters become hundreds of thousands of instructions before anybody can ask for their number.
 * What RE2 refuses anyway may be misread; what it takes is never counted too low.
 */
export function patternSize(source: string): number {
  const reader = { source, at: 0 }
  let size = readAlternatives(reader)
  // A parenthesis that closes nothing: RE2 refuses the pattern, the rest is counted all the same.
  while (reader.at < source.length) {
    reader.at++
    size += readAlternatives(reader)
  }
  return size
}

interface Reader {
  source: string
  at: number
}

function readAlternatives(reader: Reader): number {
  const { source } = reader
  let size = 1
  let last = 0
  while (reader.at < source.length && source[reader.at] !== ')') {
    const times = readTimes(reader)
    if (times === undefined) {
      size += last
      last = readAtom(reader)
    } else last = last * times + 2
  }
  return size + last
}

/** How often the thing before stands in the program; undefined when no repetition is written here. */
function readTimes(reader: Reader): number | undefined {
  const { source, at } = reader
  const char = source[at]
  if (char === '*' || char === '+' || char === '?') {
    reader.at++
    return 1
  }
  const counted = char === '{' ? /^\{(\d+)(,(\d*))?\}/.exec(source.slice(at, at + 30)) : null
  if (counted === null) return undefined
  reader.at += counted[0].length
  return Math.max(Number(counted[1]), Number(counted[3] || 0)) + 1
}

function readAtom(reader: Reader): number {
  const { source } = reader
  const char = source[reader.at]
  if (char === '(') {
    reader.at++
    const inner = readAlternatives(reader)
    reader.at++
    return inner + 2
  }
  if (char === '[') return readClass(reader)
  if (char !== '\\') {
    reader.at++
    return char === '|' ? 2 : 1
  }
  if (source[reader.at + 1] !== 'Q') {
    reader.at += 2
    return 1
  }
  const end = source.indexOf('\\E', reader.at)
  const next = end === -1 ? source.length : end + 2
  const length = next - reader.at
  reader.at = next
  return length
}

function readClass(reader: Reader): number {
  const { source } = reader
  const start = reader.at
  // A bracket that comes first stands for itself.
  let at = start + (source[start + 1] === '^' ? 2 : 1)
  if (source[at] === ']') at++
  while (at < source.length && source[at] !== ']') {
    if (source[at] === '\\') at++
    else if (source.startsWith('[:', at)) at = Math.max(at, source.indexOf(':]', at))
    at++
  }
  reader.at = at + 1
  return 1
}
