export const artifactColumns = `id, project_id as "projectId", run_id as "runId", task, name, content_type as "contentType",
  declared_size as "declaredSize", declared_sha256 as "declaredSha256", state, upload_key as "uploadKey",
  object_key as "objectKey", size, sha256, created_at as "createdAt", created_by as "createdBy",
  parts_key as "partsKey", parts_upload_id as "partsUploadId"`
