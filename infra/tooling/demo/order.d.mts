export function demoOrder(say: (line: string) => void): Promise<{
  run: { status: string; output: unknown }
  keys: string[]
  lines: string[]
}>
