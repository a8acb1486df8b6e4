import { topics } from '@millrace/workloads/contracts';
import { type Contract } from '@millrace/workload-kit/contract';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { GROUPS, type RouteName, contracts } from './contracts.ts';
import { ERRORS, type ErrorCode } from './errors.ts';
import { openApi } from './openapi.ts';
import type { Operation, ResponseObject } from './openapi/types.ts';
import { problem } from './problem.ts';

const document = openApi({ version: '1.2.3' });
const { components } = document;
const routes = Object.entries(contracts) as [RouteName, Contract][];

test('the document is OpenAPI 3.1', async () => {
  expect(await new Validator().validate({ ...document })).toEqual({ valid: true });
  expect(document.info.version).toBe('1.2.3');
});

test('no two paths are the same but for the names of their parameters', () => {
  const shapes = Object.keys(document.paths).map((path) => path.replaceAll(/\{\w+\}/g, '{}'));
  expect(shapes.filter((shape, index) => shapes.indexOf(shape) !== index)).toEqual([]);
});

test('it is plain JSON', () => {
  expect(JSON.parse(JSON.stringify(document))).toEqual(document);
});

test('every reference leads somewhere', () => {
  const dangling = nodes(document).filter((node) => '$ref' in node && found(node) === undefined);
  expect(dangling).toEqual([]);
});

test('what has a name is written once', () => {
  const named = Object.entries(components.schemas).map(([name, schema]) => [text(schema), name]);
  expect(new Map(named as [string, string][]).size).toBe(named.length);
  // Its own entry is the one place.
  const places = nodes(document).map(text);
  const copied = named.filter(([schema]) => places.filter((place) => place === schema).length > 1);
  expect(copied.map(([, name]) => name)).toEqual([]);
});

test('what is used twice has a name', () => {
  const shapes = nodes(document)
    .filter((node) => 'properties' in node && Object.keys(Object(node.properties)).length > 1)
    .map(text);
  expect(shapes.filter((shape, index) => shapes.indexOf(shape) !== index)).toEqual([]);
});

test('each route is in one group', () => {
  const grouped = GROUPS.flatMap((group) => Object.keys(group.contracts));
  expect(grouped.toSorted()).toEqual(Object.keys(contracts).toSorted());
});

test('a request is strict, an answer is not', () => {
  expect(components.schemas['JobRequest']).toMatchObject({ additionalProperties: false });
  expect(components.schemas['Job']).not.toHaveProperty('additionalProperties');
});

test('a bulk action says that it needs a filter', () => {
  expect(components.schemas['JobSelection']).toMatchObject({ minProperties: 1 });
});

test('a stream has the events as its schema', () => {
  expect(operationOf('events').responses['200']).toMatchObject({
    content: { 'text/event-stream': { schema: { $ref: '#/components/schemas/LiveEvent' } } },
  });
  // The service's own, and one for each topic of the workloads.
  expect(components.schemas['LiveEvent']?.oneOf).toHaveLength(6 + Object.keys(topics).length);
});

test('the problems are the error table', () => {
  expect(Object.keys(components.examples)).toEqual(Object.keys(ERRORS));
  for (const { value } of Object.values(components.examples)) {
    expect(problem.parse(value)).toEqual(value);
  }
});

describe.each(routes)('%s', (name, contract) => {
  const operation = operationOf(name);

  test('is there with its method, path and summary', () => {
    const path = contract.path.replaceAll(/:(\w+)/g, '{$1}');
    const there = document.paths[path] as Record<string, Operation> | undefined;
    expect(there?.[contract.method.toLowerCase()]).toBe(operation);
    expect(operation.summary).toBe(contract.summary);
    expect(operation.tags).toHaveLength(1);
  });

  test('has its parts, with the example', () => {
    const shape = (part: unknown) =>
      Object.keys((part as { shape?: object } | undefined)?.shape ?? {});
    const names = (where: string) =>
      operation.parameters.flatMap((each) => ('in' in each && each.in === where ? each.name : []));
    expect(names('path')).toEqual(shape(contract.params));
    expect(names('query')).toEqual(shape(contract.query));
    const taken = contract.body ?? contract.upload;
    expect(operation.requestBody === undefined).toBe(taken === undefined);
    const types = contract.upload ?? (contract.body ? ['application/json'] : []);
    expect(Object.keys(operation.requestBody?.content ?? {})).toEqual(types);
    const shown = operation.requestBody?.content['application/json']?.example;
    expect(shown).toEqual(contract.example.body);
    expect(operation.responses[contract.statuses[0]]).toMatchObject({
      content: { [contract.media ?? 'application/json']: { example: contract.example.response } },
    });
  });

  test('says who may', () => {
    const open = contracts[name].access === 'anyone';
    expect(operation['x-millrace-role']).toBe(contracts[name].access);
    expect(operation.security).toEqual(open ? [] : [{ bearer: [] }]);
    expect(codesOf(operation).includes('unauthenticated')).toBe(!open);
    expect(codesOf(operation).includes('role_missing')).toBe(
      !open && contracts[name].access !== 'signedIn',
    );
  });

  test('says what it refuses, under the status of the table', () => {
    const codes = codesOf(operation);
    expect(codes).toEqual(expect.arrayContaining([...(contract.errors ?? []), 'internal']));
    for (const [status, response] of Object.entries(operation.responses)) {
      for (const code of codesIn(response)) expect(String(ERRORS[code].status)).toBe(status);
    }
    // A problem would hide behind an answer of the same status.
    expect(codes.filter((code) => contract.statuses.includes(ERRORS[code].status))).toEqual([]);
  });
});

function operationOf(name: RouteName): Operation {
  const all = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const operation = all.find(({ operationId }) => operationId === name);
  if (operation === undefined) throw new Error(`${name} is not in the document`);
  return operation;
}

function codesOf({ responses }: Operation): ErrorCode[] {
  return Object.values(responses).flatMap(codesIn);
}

function codesIn(response: Operation['responses'][string]): ErrorCode[] {
  if (!('$ref' in response)) return [];
  const { content } = found(response) as ResponseObject;
  return Object.keys(content['application/problem+json']?.examples ?? {}) as ErrorCode[];
}

/** Every object of the document. */
function nodes(value: unknown): object[] {
  if (value === null || typeof value !== 'object') return [];
  const inside = Object.values(value).flatMap(nodes);
  return Array.isArray(value) ? inside : [value, ...inside];
}

function found(node: object): unknown {
  const [, ...path] = String((node as { $ref?: unknown }).$ref).split('/');
  return path.reduce(
    (at, key) => (at as Record<string, unknown> | undefined)?.[key],
    document as unknown,
  );
}

function text(value: unknown): string {
  return JSON.stringify(value);
}
