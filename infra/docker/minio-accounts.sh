#!/bin/sh
# The bucket of the artifact service and an account that may use it and nothing else. Repeating it changes nothing.
set -eu
endpoint=${MINIO_ENDPOINT:-http://minio:9000}
bucket=${MILLRACE_S3_BUCKET:-millrace}
mc alias set millrace "$endpoint" "$MINIO_ROOT_USER" "$MINIO_ROOT_PASSWORD"
mc mb --ignore-existing "millrace/$bucket"
policy=$(mktemp)
cat >"$policy" <<EOF
{
  "Version": "2012-10-17",
  "Statement": [
    {
      "Effect": "Allow",
      "Action": ["s3:ListBucket", "s3:GetBucketLocation", "s3:ListBucketMultipartUploads"],
      "Resource": ["arn:aws:s3:::$bucket"]
    },
    {
      "Effect": "Allow",
      "Action": ["s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload", "s3:ListMultipartUploadParts"],
      "Resource": ["arn:aws:s3:::$bucket/*"]
    }
  ]
}
EOF
mc admin policy create millrace artifact "$policy"
rm "$policy"
# The password is given on standard input: arguments stand in the process list.
printf '%s\n%s\n' artifact "$ARTIFACT_S3_PASSWORD" | mc admin user add millrace
attached=$(mc admin user info millrace artifact --json)
case $attached in
  *'"policyName":"artifact"'*) ;;
  *) mc admin policy attach millrace artifact --user artifact ;;
esac
