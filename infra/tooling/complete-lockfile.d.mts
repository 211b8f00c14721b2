export function missingEntries(packages: Record<string, unknown>): Record<string, unknown>
