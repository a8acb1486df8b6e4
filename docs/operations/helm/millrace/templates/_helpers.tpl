{{/* The release's name: short, since the role comes behind it. */}}
{{- define "millrace.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{/* What the Deployments are: one for everything, or one for each role. As text, since a template gives no list. */}}
{{- define "millrace.roles" -}}
{{- ternary "api worker" "all" .Values.split -}}
{{- end -}}

{{/* A setting as it was written, called with a dict of name and value: Helm reads 2000000 as 2e+06, and off as false. */}}
{{- define "millrace.setting" -}}
{{- if and (eq .name "MIGRATE") (kindIs "bool" .value) -}}
{{- ternary "on" "off" .value -}}
{{- else if and (kindIs "float64" .value) (eq (toString (floor .value)) (toString .value)) -}}
{{- int64 .value -}}
{{- else -}}
{{- toString .value -}}
{{- end -}}
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
