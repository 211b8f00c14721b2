export function faultOfPattern(source: string, flags: string): string | undefined
export function checkFile(root: string, path: string, verdicts?: Map<string, string | undefined>): string[]
