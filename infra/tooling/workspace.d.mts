export function fingerprint(root: string, files: string[]): string
export function isInstalled(root: string): boolean
export function ensureInstalled(root: string): void
export function ensureRuntime(root: string): void
export function ensureBuilt(root: string): void
export function ensureConsoleBuilt(root: string): void
