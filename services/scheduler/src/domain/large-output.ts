import { derivedId } from './derived-id.js'

/** An output over this is kept as an artifact. */
export const LARGE_OUTPUT_BYTES = 64 * 1024

/** The artifact that an output is kept as. */
export interface OutputArtifact {
  readonly id: string
  readonly size: number
}

/** No character takes more than three bytes for each unit of its length, which spares counting most texts. */
export const isLargeOutput = (text: string): boolean =>
  text.length * 3 > LARGE_OUTPUT_BYTES && Buffer.byteLength(text) > LARGE_OUTPUT_BYTES

/** `of` tells the outputs of one owner apart: what is written under an id never changes. */
export const outputArtifact = (ownerId: string, of: string, text: string): OutputArtifact => ({
  id: derivedId(ownerId, `output:${ownerId}:${of}`),
  size: Buffer.byteLength(text),
})

/** What readers see in the output's place. */
export const outputPointer = ({ id, size }: OutputArtifact): string => JSON.stringify({ $artifact: id, size })
