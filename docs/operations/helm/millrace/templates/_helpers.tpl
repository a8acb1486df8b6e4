{{/* The release's name: short, since the role comes behind it. */}}
{{- define "millrace.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{/* What the Deployments are: one for everything, or one for each role. As text, since a template gives no list. */}}
{{- define "millrace.roles" -}}
{{- ternary "api worker" "all" .Values.split -}}
{{- end -}}

{{/* What tells pods apart: called with a dict of root and role. */}}
{{- define "millrace.selector" -}}
app.kubernetes.io/name: millrace
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .role }}
{{- end -}}

{{- define "millrace.labels" -}}
{{ include "millrace.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}
