export const services: string[]
export function composeEnv(known?: Readonly<Record<string, string>>): Record<string, string>
export function completeEnvFile(file: string): string | undefined
