export type JsonObject = Record<string, unknown>

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Assignment to `__proto__` would change the prototype; defining the property never does. */
export function setOwn(target: JsonObject, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
  else target[key] = value
}

export const getOwn = (target: JsonObject, key: string): unknown =>
  Object.hasOwn(target, key) ? target[key] : undefined

export const utf8Bytes = (text: string): number => Buffer.byteLength(text, 'utf8')

/** Length of the text as a JSON string, quotes included, without building it. */
export function jsonStringBytes(text: string): number {
  let extra = 2
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x22 || code === 0x5c) extra += 1
    else if (code < 0x20) extra += code === 8 || code === 9 || code === 10 || code === 12 || code === 13 ? 1 : 5
  }
  return utf8Bytes(text) + extra
}
