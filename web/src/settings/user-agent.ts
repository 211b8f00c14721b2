/** In the order of looking: every browser claims to be the ones after it. */
const browsers: readonly [RegExp, string][] = [
  [/\bEdg\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\//, 'Firefox'],
  [/\b(?:Headless)?Chrome\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]
const systems: readonly [RegExp, string][] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
]

const firstOf = (known: readonly [RegExp, string][], text: string) => known.find(([sign]) => sign.test(text))?.[1]

/** `Firefox on Linux`; a program by the name it gives itself. */
export function agentInWords(userAgent: string): string {
  const browser = firstOf(browsers, userAgent)
  const system = firstOf(systems, userAgent)
  if (browser && system) return `${browser} on ${system}`
  return browser ?? (userAgent.split(/[\s/]/)[0] || 'an unknown program')
}
