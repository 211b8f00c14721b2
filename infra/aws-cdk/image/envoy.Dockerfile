# syntax=docker/dockerfile:1.7
# Envoy with the generated configuration: docker build infra --file infra/aws-cdk/image/envoy.Dockerfile
FROM envoyproxy/envoy:v1.40.0
COPY envoy/envoy.yaml /etc/envoy/millrace.yaml
USER 101:101
VOLUME ["/tmp"]
