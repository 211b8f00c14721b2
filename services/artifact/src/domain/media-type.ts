const maxLength = 255
const token = "[a-z0-9!#$&^_.+'*`|~-]+"
const quoted = '"(?:[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\[\\x20-\\x7e])*"'
const mediaType = new RegExp(`^${token}/${token}(?:[ \\t]*;[ \\t]*${token}=(?:${token}|${quoted}))*$`, 'i')

/** As RFC 9110 has it: type, subtype and parameters. Each character can be read in one way only, so time is linear. */
export const isMediaType = (text: string): boolean => text.length <= maxLength && mediaType.test(text)
