export function faultsOf(
  file: string,
  text: string,
  read: (path: string) => string | undefined,
  targets: ReadonlySet<string>,
): string[]
