export function pythonTool(name: string, version: string): string
