import { contracts, openApi } from '@millrace/api';
import { afterEach, expect, test } from 'vitest';
import { type Harness, createHarness } from '../../test/harness.ts';
import { VERSION } from '../version.ts';

let harness: Harness;
afterEach(() => harness.close());

async function get(url: string) {
  harness = createHarness();
  return harness.app.inject({ url, headers: { host: 'localhost' } });
}

test('the API describes itself to programs', async () => {
  const response = await get(contracts.openapi.path);
  expect(response.statusCode).toBe(200);
  expect(response.headers['content-type']).toMatch(/^application\/json/);
  expect(response.json()).toEqual(openApi({ version: VERSION }));
});

test('and to people, with leave for its style alone', async () => {
  const response = await get(contracts.docs.path);
  expect(response.statusCode).toBe(200);
  expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(response.body).toMatch(/^<!doctype html>/);
  const csp = String(response.headers['content-security-policy']);
  expect(csp).toMatch(/^default-src 'none'; style-src 'sha256-/);
  expect(csp).toContain("frame-ancestors 'none'");
});
