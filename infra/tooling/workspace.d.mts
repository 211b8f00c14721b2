export function fingerprint(root: string, files: string[]): string
export function isInstalled(root: string): boolean
export function isBuilt(folder: string): boolean
export function ensureInstalled(root: string): Promise<void>
export function ensureRuntime(root: string): Promise<void>
export function ensureBuilt(root: string): Promise<void>
export function ensureConsoleBuilt(root: string): Promise<void>
