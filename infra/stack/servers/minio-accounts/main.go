// Makes the bucket of the artifact service and an account that may use it and nothing else, as infra/docker/minio-accounts.sh
// does where MinIO's own client is at hand. Repeating it changes nothing. Usage: minio-accounts <host:port> <bucket> <account>
// Passwords come by the environment: arguments stand in the list of processes.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"

	"github.com/minio/madmin-go/v3"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

const policyOf = `{
  "Version": "2012-10-17",
  "Statement": [
    {
      "Effect": "Allow",
      "Action": ["s3:ListBucket", "s3:GetBucketLocation", "s3:ListBucketMultipartUploads"],
      "Resource": ["arn:aws:s3:::%[1]s"]
    },
    {
      "Effect": "Allow",
      "Action": ["s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload", "s3:ListMultipartUploadParts"],
      "Resource": ["arn:aws:s3:::%[1]s/*"]
    }
  ]
}`

func main() {
	address, bucket, account := os.Args[1], os.Args[2], os.Args[3]
	root := credentials.NewStaticV4(os.Getenv("MINIO_ROOT_USER"), os.Getenv("MINIO_ROOT_PASSWORD"), "")
	if err := prepare(context.Background(), address, bucket, account, root); err != nil {
		log.Fatal(err)
	}
}

func prepare(ctx context.Context, address, bucket, account string, root *credentials.Credentials) error {
	store, err := minio.New(address, &minio.Options{Creds: root})
	if err != nil {
		return err
	}
	exists, err := store.BucketExists(ctx, bucket)
	if err == nil && !exists {
		err = store.MakeBucket(ctx, bucket, minio.MakeBucketOptions{})
	}
	if err != nil {
		return err
	}
	admin, err := madmin.NewWithOptions(address, &madmin.Options{Creds: root})
	if err != nil {
		return err
	}
	if err := admin.AddCannedPolicy(ctx, account, fmt.Appendf(nil, policyOf, bucket)); err != nil {
		return err
	}
	if err := admin.AddUser(ctx, account, os.Getenv("ACCOUNT_PASSWORD")); err != nil {
		return err
	}
	return attach(ctx, admin, account)
}

func attach(ctx context.Context, admin *madmin.AdminClient, account string) error {
	info, err := admin.GetUserInfo(ctx, account)
	if err != nil || slices.Contains(strings.Split(info.PolicyName, ","), account) {
		return err
	}
	_, err = admin.AttachPolicy(ctx, madmin.PolicyAssociationReq{Policies: []string{account}, User: account})
	return err
}
