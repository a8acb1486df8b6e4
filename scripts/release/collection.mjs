// The API as a collection for Postman (format 2.1), which Bruno, Insomnia and Hoppscotch import too. Made from the OpenAPI
// document, so that no request of it can differ from what the server takes.

/**
 * @typedef {import('../../api/src/openapi/types.ts').OpenApiDocument} OpenApiDocument
 * @typedef {import('../../api/src/openapi/types.ts').Operation} Operation
 * @typedef {import('../../api/src/openapi/types.ts').Parameter} Parameter
 *
 * @typedef {{ key: string, value: string, description?: string, disabled?: boolean }} Entry
 * @typedef {object} Item
 * @property {string} id the name of the route
 * @property {string} name
 * @property {object} request
 * @property {string} request.method
 * @property {string} request.description
 * @property {Entry[]} request.header
 * @property {{ raw: string, host: string[], path: string[], query: Entry[], variable: Entry[] }} request.url
 * @property {{ type: 'noauth' }} [request.auth] without it, that of the collection
 * @property {{ mode: 'raw', raw: string, options: object } | { mode: 'file', file: object }} [request.body]
 * @property {never[]} response
 */

const FORMAT = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';
const JSON_TYPE = 'application/json';

/** @param {OpenApiDocument} document */
export function collectionOf(document) {
  const { info, tags, paths } = document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  return {
    info: {
      name: info.title,
      description: info.description,
      version: info.version,
      schema: FORMAT,
    },
    // Filled in by whoever uses it: no token is ever in the file.
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] },
    variable: [
      { key: 'baseUrl', value: 'http://127.0.0.1:3000', type: 'string' },
      { key: 'token', value: '', type: 'string', description: 'millrace token prints one.' },
    ],
    item: tags.map(({ name, description }) => ({
      name,
      description,
      item: operations
        .filter(({ operation }) => operation.tags[0] === name)
        .map(({ path, method, operation }) => itemOf(document, path, method, operation)),
    })),
  };
}

/** @type {(document: OpenApiDocument, path: string, method: string, operation: Operation) => Item} */
function itemOf(document, path, method, operation) {
  const parameters = operation.parameters.map((each) => resolved(document, each));
  const of = (/** @type {Parameter['in']} */ where) =>
    parameters.filter((each) => each.in === where);
  const inPath = of('path');
  // A variable is a whole part of a path to Postman: of results.{format} it would send ":format" as it stands.
  const isWhole = (/** @type {Parameter} */ { name }) => path.split('/').includes(`{${name}}`);
  const segments = path
    .split('/')
    .slice(1)
    .map((segment) => segment.replace(/^\{(\w+)\}$/, ':$1'))
    .map((segment) =>
      segment.replaceAll(/\{(\w+)\}/g, (_, name) =>
        String(inPath.find((each) => each.name === name)?.example ?? ''),
      ),
    );
  return {
    id: operation.operationId,
    name: operation.summary,
    request: {
      method: method.toUpperCase(),
      description: `${operation.summary} Who may: ${operation['x-millrace-role']}.`,
      ...(operation.security.length === 0 && { auth: { type: 'noauth' } }),
      header: [...contentType(operation), ...of('header').map(entryOf)],
      url: {
        raw: `{{baseUrl}}/${segments.join('/')}`,
        host: ['{{baseUrl}}'],
        path: segments,
        query: of('query').map(entryOf),
        variable: inPath.filter(isWhole).map(({ name, example, description }) => ({
          key: name,
          value: String(example ?? ''),
          ...(description !== undefined && { description }),
        })),
      },
      ...bodyOf(operation),
    },
    response: [],
  };
}

/** @type {(document: OpenApiDocument, parameter: Operation['parameters'][number]) => Parameter} */
function resolved({ components }, parameter) {
  if (!('$ref' in parameter)) return parameter;
  const found = components.parameters[parameter.$ref.split('/').at(-1) ?? ''];
  if (found === undefined) throw new Error(`${parameter.$ref} is not in the document.`);
  return found;
}

/** What need not be given is there, and switched off. @param {Parameter} parameter @returns {Entry} */
function entryOf({ name, example, description, required }) {
  return {
    key: name,
    value: String(example ?? ''),
    ...(description !== undefined && { description }),
    ...(!required && { disabled: true }),
  };
}

/** @param {Operation} operation @returns {Entry[]} */
function contentType({ requestBody }) {
  const [type] = Object.keys(requestBody?.content ?? {});
  return type === undefined ? [] : [{ key: 'content-type', value: type }];
}

/** @param {Operation} operation @returns {Pick<Item['request'], 'body'>} */
function bodyOf({ requestBody }) {
  if (requestBody === undefined) return {};
  const json = requestBody.content[JSON_TYPE];
  if (json === undefined) return { body: { mode: 'file', file: { src: null } } };
  const raw = JSON.stringify(json.example ?? {}, null, 2);
  return { body: { mode: 'raw', raw, options: { raw: { language: 'json' } } } };
}
