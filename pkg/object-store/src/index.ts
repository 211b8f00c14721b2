export { createFileObjectStore, type FileObjectStoreOptions } from './file-object-store.js'
export type {
  ByteRange,
  ObjectStore,
  OpenContent,
  PartGrant,
  PresignGetOptions,
  PresignPutOptions,
  PutOptions,
  SignedGrant,
  SignedUrl,
  StoredContent,
  UploadedPart,
} from './object-store.js'
export { assertKey, MIN_PART_BYTES } from './object-store.js'
export { createS3ObjectStore, type S3ObjectStoreOptions } from './s3-object-store.js'
export { storageUnavailable } from './storage-error.js'
