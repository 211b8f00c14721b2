{{/* The generated configuration with this release's names, and with tracing where there is a collector without TLS: Envoy's exporter
speaks plain HTTP, so behind TLS the spans of the services go there alone. */}}
{{- define "millrace.envoyConfig" -}}
{{- $file := ternary "files/envoy-tls.yaml" "files/envoy.yaml" .Values.tls.enabled -}}
{{- $config := regexReplaceAll "(?m)^( +address: )(iam|workflow|metadata|notification|artifact|scheduler)$" (.Files.Get $file) (printf "${1}%s-${2}" .Release.Name) -}}
{{- if hasPrefix "http://" .Values.otlp.endpoint -}}
{{- $parts := include "millrace.tracing" . | fromYaml -}}
{{- $config = regexReplaceAll "(?m)^( +)(\"@type\": .*\\.v3\\.HttpConnectionManager)$" $config (printf "${1}${2}\n${1}tracing: %s" (toJson $parts.tracing)) -}}
{{- $config = regexReplaceAll "(?m)^  clusters:$" $config (printf "  clusters:\n    - %s" (toJson $parts.cluster)) -}}
{{- end -}}
{{- $config -}}
{{- end -}}

{{/* What is generated, with this collector and as much sampled as the services sample (samplePercent of infra/tooling/envoy-tracing.mjs). */}}
{{- define "millrace.tracing" -}}
{{- $parts := .Files.Get "files/tracing.yaml" | fromYaml -}}
{{- $url := urlParse .Values.otlp.endpoint -}}
{{- $http := $parts.tracing.provider.typed_config.http_service.http_uri -}}
{{- $_ := set $http "uri" (printf "%s/v1/traces" (trimSuffix "/" .Values.otlp.endpoint)) -}}
{{- $socket := (index (index $parts.cluster.load_assignment.endpoints 0).lb_endpoints 0).endpoint.address.socket_address -}}
{{- $_ := set $socket "address" $url.hostname -}}
{{- $_ := set $socket "port_value" (regexFind "[0-9]+$" (regexFind ":[0-9]+$" $url.host) | default "80" | int) -}}
{{- $sampler := .Values.env.OTEL_TRACES_SAMPLER | default "parentbased_always_on" -}}
{{- $share := "1" -}}
{{- if hasSuffix "always_off" $sampler }}{{ $share = "0" }}{{ end -}}
{{- if hasSuffix "traceidratio" $sampler }}{{ $share = .Values.env.OTEL_TRACES_SAMPLER_ARG | default "1" }}{{ end -}}
{{- $ratio := $parts.tracing.provider.typed_config.sampler.typed_config.wrapped_sampler.typed_config.sampling_percentage -}}
{{- $_ := set $ratio "numerator" (round (mulf 1000000.0 (float64 $share)) 0 | int) -}}
{{- toJson $parts -}}
{{- end -}}
