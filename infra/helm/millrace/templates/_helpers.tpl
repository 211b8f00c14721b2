{{/* Ports of the seven, as compose and infra/envoy know them, and the services that each one's pods may call. */}}
{{- define "millrace.ports" -}}
iam: { http: 8081, grpc: 9081 }
workflow: { http: 8082, grpc: 9082 }
metadata: { http: 8083, public-grpc: 7072 }
notification: { http: 8084 }
artifact: { http: 8085 }
scheduler: { http: 8086, grpc: 9086, public-grpc: 7071 }
{{- end -}}

{{/* Which servers each service needs. */}}
{{- define "millrace.servers" -}}
setup: [postgres, kafka]
iam: [postgres, kafka, smtp, otlp]
workflow: [postgres, kafka, otlp]
scheduler: [postgres, kafka, otlp]
metadata: [postgres, kafka, mongo, otlp]
notification: [postgres, kafka, smtp, otlp]
artifact: [postgres, kafka, s3, otlp]
worker: [kafka, smtp, otlp]
envoy: [otlp]
{{- end -}}

{{/* A rule of egress: names. */}}
{{- define "millrace.dns" -}}
ports: [{ port: 53, protocol: UDP }, { port: 53, protocol: TCP }]
{{- end -}}

{{/* Of what the set-up Job needs: there before the Job, until the next one. */}}
{{- define "millrace.beforeSetup" -}}
helm.sh/hook: pre-install,pre-upgrade
helm.sh/hook-weight: "-10"
helm.sh/hook-delete-policy: before-hook-creation
{{- end -}}

{{/* (dict "root" $ "component" name) */}}
{{- define "millrace.name" -}}
{{- printf "%s-%s" .root.Release.Name .component | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "millrace.selector" -}}
app.kubernetes.io/name: millrace
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "millrace.labels" -}}
{{ include "millrace.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end -}}

{{- define "millrace.image" -}}
{{ .root.Values.image.repository }}-{{ .service }}:{{ .root.Values.image.tag | default .root.Chart.AppVersion }}
{{- end -}}

{{- define "millrace.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "millrace.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{/* Pods of one component on different zones and nodes, as far as there are any. */}}
{{- define "millrace.placement" -}}
topologySpreadConstraints:
  {{- range list .root.Values.topologyKey "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector: { matchLabels: {{ include "millrace.selector" $ | fromYaml | toJson }} }
  {{- end }}
{{- with .root.Values.nodeSelector }}
nodeSelector: {{ toJson . }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations: {{ toJson . }}
{{- end }}
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets: {{ toJson . }}
{{- end }}
automountServiceAccountToken: false
{{- end -}}

{{/* The port that answers without a certificate: kubelet and Prometheus have none. */}}
{{- define "millrace.probePort" -}}
{{ if .Values.tls.enabled }}probe{{ else }}http{{ end }}
{{- end -}}

{{- define "millrace.probes" -}}
{{- $port := include "millrace.probePort" . -}}
startupProbe: { httpGet: { path: /healthz, port: {{ $port }} }, periodSeconds: 2, failureThreshold: 90 }
livenessProbe: { httpGet: { path: /healthz, port: {{ $port }} }, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 }
readinessProbe: { httpGet: { path: /readyz, port: {{ $port }} }, periodSeconds: 5, timeoutSeconds: 3, failureThreshold: 2 }
{{- end -}}

{{- define "millrace.tlsEnv" -}}
- { name: MILLRACE_TLS_SERVICE_CERT, value: /etc/millrace/tls/tls.crt }
- { name: MILLRACE_TLS_SERVICE_KEY, value: /etc/millrace/tls/tls.key }
- { name: MILLRACE_TLS_SERVICE_CA, value: /etc/millrace/tls/ca.crt }
{{- end -}}

{{/* (dict "root" $ "holder" name): what every pod mounts, and under TLS its own certificate. */}}
{{- define "millrace.mounts" -}}
- { name: tmp, mountPath: /tmp }
{{- if .root.Values.tls.enabled }}
- { name: tls, mountPath: /etc/millrace/tls, readOnly: true }
{{- end }}
{{- end -}}

{{- define "millrace.volumes" -}}
- { name: tmp, emptyDir: {} }
{{- if .root.Values.tls.enabled }}
- { name: tls, secret: { secretName: {{ index .root.Values.tls.secrets .holder }}, defaultMode: 0440 } }
{{- end }}
{{- end -}}

{{- define "millrace.disruption" }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "millrace.name" . }}
  labels: {{- include "millrace.labels" . | nindent 4 }}
spec:
  maxUnavailable: 1
  selector: { matchLabels: {{ include "millrace.selector" . | fromYaml | toJson }} }
{{- end }}

{{- define "millrace.autoscaler" }}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ include "millrace.name" . }}
  labels: {{- include "millrace.labels" . | nindent 4 }}
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: {{ include "millrace.name" . }} }
  minReplicas: {{ .replicas }}
  maxReplicas: {{ .maxReplicas }}
  metrics:
    - type: Resource
      resource: { name: cpu, target: { type: Utilization, averageUtilization: {{ .root.Values.autoscaling.cpuPercent }} } }
  behavior:
    scaleDown: { stabilizationWindowSeconds: 300 }
{{- end }}
