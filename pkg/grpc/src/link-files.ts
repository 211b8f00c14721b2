import descriptor, {
  type IDescriptorProto,
  type IFieldDescriptorProto,
  type IFileDescriptorProto,
} from 'protobufjs/ext/descriptor/index.js'

type File = IFileDescriptorProto & { name: string }

/**
 * The library's descriptors name types relative to where they are used and say nothing of imports, which clients other
 * than its own do not accept: they load the files that a file imports, and look for its types in those alone. Services
 * that are not served are left out.
 */
export function linkFiles(encoded: readonly Buffer[], served: ReadonlySet<string>): Buffer[] {
  const files = encoded.map((bytes) => descriptor.FileDescriptorProto.decode(bytes) as unknown as File)
  for (const file of files) for (const message of file.messageType ?? []) nameMapEntries(message)
  const homes = new Map<string, File>()
  for (const file of files) for (const name of typesIn(file)) homes.set(name, file)
  return files.map((file) => {
    file.service = (file.service ?? []).filter(({ name }) => served.has(`${file.package}.${name}`))
    linkFile(file, homes)
    return Buffer.from(descriptor.FileDescriptorProto.encode(file).finish())
  })
}

function linkFile(file: File, homes: ReadonlyMap<string, File>): void {
  const imports = new Set<string>()
  const link = (name: string, scope: string): string => {
    const found = resolve(name, scope, homes)
    const home = homes.get(found)
    if (home === undefined) throw new Error(`${file.name} names the unknown type ${name}`)
    if (home !== file) imports.add(home.name)
    return `.${found}`
  }
  const scope = file.package ?? ''
  for (const message of file.messageType ?? []) linkMessage(message, scope, link)
  for (const { method } of file.service ?? []) {
    for (const each of method ?? []) {
      each.inputType = link(each.inputType ?? '', scope)
      each.outputType = link(each.outputType ?? '', scope)
    }
  }
  file.dependency = [...imports].sort()
}

function linkMessage(message: IDescriptorProto, scope: string, link: (name: string, scope: string) => string): void {
  const own = `${scope}.${message.name}`
  const fields: IFieldDescriptorProto[] = message.field ?? []
  for (const field of fields) {
    if (field.typeName) field.typeName = link(field.typeName, own)
    field.jsonName = (field.name ?? '').replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
  }
  for (const nested of message.nestedType ?? []) linkMessage(nested, own, link)
}

/** The entries of a map field are a message whose name the field decides: `some_map` has `SomeMapEntry`. */
function nameMapEntries(message: IDescriptorProto): void {
  for (const entry of message.nestedType ?? []) {
    nameMapEntries(entry)
    if (!entry.options?.mapEntry) continue
    const field = message.field?.find(({ typeName }) => typeName?.split('.').at(-1) === entry.name)
    if (!field) throw new Error(`no field has the map entries ${entry.name}`)
    const words = (field.name ?? '').split('_')
    entry.name = `${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}Entry`
    field.typeName = entry.name
  }
}

/** A relative name is looked for in each scope around the place that uses it, from the inside out. */
function resolve(name: string, scope: string, homes: ReadonlyMap<string, File>): string {
  if (name.startsWith('.')) return name.slice(1)
  for (let around = scope; around !== ''; around = around.slice(0, Math.max(0, around.lastIndexOf('.')))) {
    if (homes.has(`${around}.${name}`)) return `${around}.${name}`
  }
  return name
}

function* typesIn(file: File): Generator<string> {
  const scope = file.package ?? ''
  for (const { name } of file.enumType ?? []) yield `${scope}.${name}`
  for (const message of file.messageType ?? []) yield* typesInMessage(message, scope)
}

function* typesInMessage(message: IDescriptorProto, scope: string): Generator<string> {
  const own = `${scope}.${message.name}`
  yield own
  for (const { name } of message.enumType ?? []) yield `${own}.${name}`
  for (const nested of message.nestedType ?? []) yield* typesInMessage(nested, own)
}
