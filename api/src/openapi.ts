import { type Contract, TENANT_HEADER } from '@millrace/workload-kit/contract';
import { GROUPS, type RouteName, contracts } from './contracts.ts';
import { problemExamples, problemResponses, problemsOf } from './openapi/problems.ts';
import { type Schemas, schemasOf } from './openapi/schemas.ts';
import type {
  JsonSchema,
  OpenApiDocument,
  Operation,
  Parameter,
  Reference,
  ResponseObject,
} from './openapi/types.ts';

const JSON_TYPE = 'application/json';

/** The contracts as an OpenAPI 3.1 document. */
export function openApi({ version }: { readonly version: string }): OpenApiDocument {
  const routes = Object.entries(contracts) as [RouteName, Contract][];
  const schemas = schemasOf(routes.map(([, contract]) => contract));
  const paths: Record<string, Record<string, Operation>> = {};
  for (const [name, contract] of routes) {
    const path = contract.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = {
      ...paths[path],
      [contract.method.toLowerCase()]: operation(name, contract, schemas),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Millrace',
      version,
      description:
        'Make jobs, follow them, and act on them. ' +
        'Moments are ISO 8601 in UTC. A misspelt field is refused; an answer may have more fields in a newer version. ' +
        'A refusal is `application/problem+json` (RFC 9457) with a `code` to decide by.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: GROUPS.map(({ name, about }) => ({ name, description: about })),
    paths,
    components: {
      schemas: schemas.components,
      parameters: HEADERS,
      responses: problemResponses(routes.map(([name]) => name)),
      examples: problemExamples(),
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'A token of the issuer that /signin names, with an app role.',
        },
      },
    },
  };
}

const HEADERS = {
  CorrelationId: {
    name: 'x-correlation-id',
    in: 'header',
    required: false,
    description:
      'Your own id for this request, stored with jobs and in the log; generated if absent.',
    schema: { type: 'string', pattern: '^[!-~]{1,128}$' },
  },
  Tenant: {
    name: TENANT_HEADER,
    in: 'header',
    required: false,
    description:
      'One of your tenants, percent-encoded. Without it, new items go to your first tenant, and lists cover all of your tenants.',
    schema: { type: 'string' },
  },
} as const satisfies Record<string, Parameter>;

function operation(name: RouteName, contract: Contract, schemas: Schemas): Operation {
  const { summary, access, body, example } = contract;
  return {
    operationId: name,
    tags: GROUPS.filter((group) => name in group.contracts).map((group) => group.name),
    summary,
    parameters: [
      ...parameters('path', contract.params && schemas.of(contract.params), example.params),
      ...parameters('query', contract.query && schemas.of(contract.query), example.query),
      header('CorrelationId'),
      ...(access === 'anyone' || access === 'signedIn' ? [] : [header('Tenant')]),
    ],
    ...(body && {
      requestBody: {
        required: !body.safeParse(undefined).success,
        content: { [JSON_TYPE]: { schema: schemas.of(body), example: example.body } },
      },
    }),
    // Bytes as they are: 3.1 says so with an empty schema.
    ...(contract.upload && {
      requestBody: {
        required: true,
        content: Object.fromEntries(contract.upload.map((type) => [type, { schema: {} }])),
      },
    }),
    responses: { ...problemsOf(name), ...answers(contract, schemas) },
    security: access === 'anyone' ? [] : [{ bearer: [] }],
    'x-millrace-role': access,
  };
}

function header(name: keyof typeof HEADERS): Reference {
  return { $ref: `#/components/parameters/${name}` };
}

function parameters(
  where: 'path' | 'query',
  { properties = {}, required = [] }: JsonSchema = {},
  example: Readonly<Record<string, string>> = {},
): Parameter[] {
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: where,
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema,
    ...(example[name] !== undefined && { example: typed(schema, example[name]) }),
  }));
}

/** A query is text; the document gives it the type that the schema names. */
function typed({ type }: JsonSchema, text: string): string | number {
  return type === 'integer' || type === 'number' ? Number(text) : text;
}

function answers(
  { statuses, response, media, example }: Contract,
  schemas: Schemas,
): Record<string, ResponseObject> {
  return Object.fromEntries(
    statuses.map((status, index) => {
      const shown = index === 0 ? { example: example.response } : {};
      const content = { [media ?? JSON_TYPE]: { schema: schemas.of(response), ...shown } };
      return [status, { description: descriptionOf(status), content }];
    }),
  );
}

function descriptionOf(status: number): string {
  if (status === 201) return 'Made.';
  if (status === 202) return 'Asked for; it happens soon.';
  return status < 300 ? 'Done.' : 'Not now; the body says why.';
}
