/** A field of a composite type, in the type's order. */
export interface CompositeField {
  readonly name: string
  readonly type: CompositeFieldType
}

/** The types that can be sent. Others travel as text, and are cast by the statement. */
export type CompositeFieldType = 'uuid' | 'text' | 'int' | 'smallint' | 'bigint' | 'double precision' | 'boolean'

const typeOids: Record<CompositeFieldType, number> = {
  ...{ uuid: 2950, text: 25, int: 23, smallint: 21, bigint: 20, 'double precision': 701, boolean: 16 },
}

const NO_DIGIT = 255
/** By character code. */
const hexDigits = new Uint8Array(128).fill(NO_DIGIT)
for (let digit = 0; digit < 16; digit += 1) {
  hexDigits[digit.toString(16).charCodeAt(0)] = digit
  hexDigits[digit.toString(16).toUpperCase().charCodeAt(0)] = digit
}
const HYPHEN = 45
const UUID_LENGTH = 36
/** A field has its type and its length before it. */
const FIELD_HEAD = 8
const NULL = -1
const FIRST_BYTES = 16 * 1024
/** What a large batch took is not kept. */
const KEPT_BYTES = 1024 * 1024

/**
 * Rows as one parameter: an array of a composite type in PostgreSQL's binary format. `unnest` of arrays of scalars costs
 * the server some 11 µs a column before any row, and text to parse for each value: 0.62 ms for the 47 columns of a report
 * with one row of each kind, against 0.22 ms so (measured by turns, 18 November 2026).
 */
export class CompositeArray {
  private buffer = Buffer.allocUnsafe(FIRST_BYTES)
  private at = 0

  constructor(private readonly fields: readonly CompositeField[]) {}

  /** `elementOid`: of the composite type, as this database numbers it. */
  encode(elementOid: number, rows: readonly Readonly<Record<string, unknown>>[]): Buffer {
    this.at = 0
    // One dimension, no nulls among the elements, the type, so many elements from index 1.
    for (const head of [1, 0, elementOid, rows.length, 1]) this.int32(head)
    for (const row of rows) this.row(row)
    const encoded = this.buffer.subarray(0, this.at)
    if (this.buffer.length <= KEPT_BYTES) return Buffer.from(encoded)
    this.buffer = Buffer.allocUnsafe(FIRST_BYTES)
    return encoded
  }

  private row(row: Readonly<Record<string, unknown>>): void {
    this.reserve(8)
    const begin = this.at
    this.at += 4
    this.int32(this.fields.length)
    for (const { name, type } of this.fields) {
      this.reserve(FIELD_HEAD + 16)
      this.int32(typeOids[type])
      const value = row[name]
      if (value === null || value === undefined) this.int32(NULL)
      else this.value(type, value)
    }
    this.buffer.writeInt32BE(this.at - begin - 4, begin)
  }

  private value(type: CompositeFieldType, value: unknown): void {
    switch (type) {
      case 'text':
        this.text(value as string)
        break
      case 'uuid':
        this.uuid(value as string)
        break
      case 'int':
        this.sized(4, (at) => this.buffer.writeInt32BE(value as number, at))
        break
      case 'smallint':
        this.sized(2, (at) => this.buffer.writeInt16BE(value as number, at))
        break
      case 'bigint':
        this.sized(8, (at) => this.buffer.writeBigInt64BE(BigInt(value as number), at))
        break
      case 'double precision':
        this.sized(8, (at) => this.buffer.writeDoubleBE(value as number, at))
        break
      case 'boolean':
        this.sized(1, (at) => this.buffer.writeUInt8(value === true ? 1 : 0, at))
    }
  }

  private text(value: string): void {
    // No character of UTF-16 takes more than three bytes of UTF-8.
    this.reserve(FIELD_HEAD + value.length * 3)
    const written = this.buffer.write(value, this.at + 4)
    this.int32(written)
    this.at += written
  }

  private uuid(value: string): void {
    this.int32(16)
    let i = 0
    for (const end = this.at + 16; this.at < end; this.at += 1, i += 2) {
      if (i === 8 || i === 13 || i === 18 || i === 23) i = value.charCodeAt(i) === HYPHEN ? i + 1 : UUID_LENGTH
      const high = hexDigits[value.charCodeAt(i)] ?? NO_DIGIT
      const low = hexDigits[value.charCodeAt(i + 1)] ?? NO_DIGIT
      // PostgreSQL would say so of a text; bytes it takes as they are.
      if ((high | low) > 15) throw new TypeError('not a uuid')
      this.buffer[this.at] = (high << 4) | low
    }
    if (value.length !== UUID_LENGTH) throw new TypeError('not a uuid')
  }

  private sized(bytes: number, write: (at: number) => void): void {
    this.int32(bytes)
    write(this.at)
    this.at += bytes
  }

  private int32(value: number): void {
    // The number of a type may be over 2^31.
    this.buffer.writeInt32BE(value | 0, this.at)
    this.at += 4
  }

  /** What comes next fits. */
  private reserve(bytes: number): void {
    if (this.at + bytes <= this.buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.at + bytes))
    this.buffer.copy(larger, 0, 0, this.at)
    this.buffer = larger
  }
}
