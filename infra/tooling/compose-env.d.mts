export const services: string[]
export function composeEnv(known?: Readonly<Record<string, string>>): Record<string, string>
export function completeEnvFile(file: string): string | undefined
export function plainTextWarning(
  file: string,
  environment?: Readonly<Record<string, string | undefined>>,
): string | undefined
