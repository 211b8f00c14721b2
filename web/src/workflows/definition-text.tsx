import { useMemo } from 'react'
import { stringify } from 'yaml'
import { YamlEditor } from '../editor/yaml-editor'

/** The API keeps definitions as JSON; people read and write them as YAML. */
export const toYaml = (definition: unknown): string =>
  stringify(definition, { lineWidth: 110, aliasDuplicateObjects: false })

export function DefinitionText({ definition }: { definition: unknown }) {
  const text = useMemo(() => toYaml(definition), [definition])
  return <YamlEditor key={text} label="Definition" initial={text} readOnly />
}
