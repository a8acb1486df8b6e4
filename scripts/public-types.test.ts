import { expect, it } from 'vitest';
import { CHANGED, publicTypes, storedTypes } from './public-types.mjs';

const types = publicTypes();

it('of @millrace/engine are those that were agreed to', () => {
  expect(types, CHANGED).toBe(storedTypes());
});

it.each([
  'declare function defineJob',
  'interface JobContext',
  'type Outcome',
  'declare const RETRY',
])('have the %s, which job files use', (declaration) => {
  expect(types).toContain(`export ${declaration}`);
});

it("show nothing of the worker's insides", () => {
  expect(types).not.toMatch(/ExecutorParts|Settler\b|interface Pool\b/);
});
