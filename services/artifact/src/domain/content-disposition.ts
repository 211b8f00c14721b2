const percent = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase()}`

/** RFC 6266: a plain fallback for old readers, and the true name in RFC 8187's form. */
export function attachment(name: string): string {
  const fallback = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  const exact = encodeURIComponent(name).replaceAll(/['()*!]/g, percent)
  return `attachment; filename="${fallback}"; filename*=UTF-8''${exact}`
}
