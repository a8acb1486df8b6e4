// az deployment group create --resource-group RESOURCE-GROUP --template-file docs/operations/container-app.bicep \
//   --parameters environmentId=… identityId=… registry=… image=… vaultUri=… clientId=… publicClientId=… \
//   salesforceClientId=… salesforceUsername=…
//
// The same app as container-app.yaml, with parameters in place of capitals. Nothing secret stands here: the values are in a
// key vault, and the app reads them with its managed identity (role "Key Vault Secrets User").

@description('What the app is called.')
param name string = 'millrace'

param location string = resourceGroup().location

@description('The id of the Container Apps environment.')
param environmentId string

@description('The id of a user-assigned managed identity that may read the vault and pull from the registry.')
param identityId string

@description('The registry, such as REGISTRY.azurecr.io.')
param registry string

@description('The image in it, such as millrace:0.1.0.')
param image string

@description('The key vault, such as https://VAULT.vault.azure.net.')
param vaultUri string

@description('The Entra tenant of people and programs.')
param tenantId string = tenant().tenantId

@description('The client id of the API.')
param clientId string

@description('The public client with which people sign in.')
param publicClientId string

@description('The consumer key of the connected app in Salesforce.')
param salesforceClientId string

@description('The user of the org as whom the service works.')
param salesforceUsername string

@minValue(1)
param minReplicas int = 1

@maxValue(1000)
param maxReplicas int = 5

var login = environment().authentication.loginEndpoint

// One replica for each 250 jobs that are due, wherever they wait: in Postgres, in Redis or in a Salesforce org. Every minute
// one replica writes down how many those are, without paused kinds, which would gain nothing by more replicas.
var dueJobs = 'SELECT coalesce(max(due), 0) FROM ( SELECT due FROM millrace.samples WHERE level = 0 AND minute > now() - make_interval(mins => 5) ORDER BY minute DESC LIMIT 1 ) AS newest'

resource app 'Microsoft.App/containerApps@2024-03-01' = {
  name: name
  location: location
  identity: {
    type: 'UserAssigned'
    userAssignedIdentities: {
      '${identityId}': {}
    }
  }
  properties: {
    environmentId: environmentId
    configuration: {
      activeRevisionsMode: 'Single'
      ingress: {
        external: true
        allowInsecure: false
        targetPort: 3000
        transport: 'auto'
      }
      registries: [
        {
          server: registry
          identity: identityId
        }
      ]
      secrets: [
        {
          name: 'database-url'
          keyVaultUrl: '${vaultUri}/secrets/millrace-database-url'
          identity: identityId
        }
        {
          name: 'azure-monitor-connection-string'
          keyVaultUrl: '${vaultUri}/secrets/millrace-azure-monitor-connection-string'
          identity: identityId
        }
        {
          name: 'salesforce-private-key'
          keyVaultUrl: '${vaultUri}/secrets/millrace-salesforce-private-key'
          identity: identityId
        }
      ]
    }
    template: {
      // MILLRACE_SHUTDOWN_GRACE (300 s), 10 s for what was aborted, MILLRACE_LEASE (120 s) for the last outcomes to be
      // written, and telemetry. The platform allows 600 at the most.
      terminationGracePeriodSeconds: 480
      containers: [
        {
          name: 'millrace'
          image: '${registry}/${image}'
          resources: {
            cpu: 2
            memory: '4Gi'
          }
          env: [
            {
              name: 'ISSUER'
              value: '${login}${tenantId}/v2.0,https://sts.windows.net/${tenantId}/'
            }
            {
              name: 'AUDIENCE'
              value: '${clientId},api://${clientId}'
            }
            {
              name: 'JWKS_URI'
              value: '${login}${tenantId}/discovery/v2.0/keys'
            }
            {
              name: 'MILLRACE_CLIENT_ID'
              value: publicClientId
            }
            {
              name: 'DATABASE_URL'
              secretRef: 'database-url'
            }
            {
              name: 'DATABASE_SSL'
              value: 'verify-full'
            }
            {
              name: 'AZURE_MONITOR_CONNECTION_STRING'
              secretRef: 'azure-monitor-connection-string'
            }
            // Of a Salesforce org. Without one, these three and their secret go.
            {
              name: 'SALESFORCE_CLIENT_ID'
              value: salesforceClientId
            }
            {
              name: 'SALESFORCE_USERNAME'
              value: salesforceUsername
            }
            {
              name: 'SALESFORCE_PRIVATE_KEY'
              secretRef: 'salesforce-private-key'
            }
            {
              name: 'MILLRACE_METRICS_PORT'
              value: '9464'
            }
            {
              name: 'MILLRACE_SHUTDOWN_GRACE'
              value: '5m'
            }
            {
              name: 'MILLRACE_LEASE'
              value: '2m'
            }
          ]
          probes: [
            {
              type: 'Startup'
              httpGet: {
                path: '/healthz'
                port: 3000
              }
              periodSeconds: 2
              failureThreshold: 60
            }
            {
              type: 'Liveness'
              httpGet: {
                path: '/healthz'
                port: 3000
              }
              periodSeconds: 10
              timeoutSeconds: 5
              failureThreshold: 6
            }
            {
              type: 'Readiness'
              httpGet: {
                path: '/readyz'
                port: 3000
              }
              periodSeconds: 10
              timeoutSeconds: 5
              failureThreshold: 2
            }
          ]
          volumeMounts: [
            {
              volumeName: 'data'
              mountPath: '/data'
            }
            {
              volumeName: 'tmp'
              mountPath: '/tmp'
            }
          ]
        }
      ]
      volumes: [
        {
          name: 'data'
          storageType: 'EmptyDir'
        }
        {
          name: 'tmp'
          storageType: 'EmptyDir'
        }
      ]
      scale: {
        minReplicas: minReplicas
        maxReplicas: maxReplicas
        rules: [
          {
            name: 'queue-depth'
            custom: {
              type: 'postgresql'
              metadata: {
                query: dueJobs
                targetQueryValue: '250'
                activationTargetQueryValue: '0'
              }
              auth: [
                {
                  secretRef: 'database-url'
                  triggerParameter: 'connection'
                }
              ]
            }
          }
        ]
      }
    }
  }
}

@description('Where it is.')
output address string = 'https://${app.properties.configuration.ingress.fqdn}'
