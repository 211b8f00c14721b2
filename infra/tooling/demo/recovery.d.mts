export function demoRecovery(say: (line: string) => void): Promise<{
  started: number
  succeeded: number
  lost: number
  wrong: number
  repeated: number
  outages: { name: string; awayMs: number }[]
}>
