import Fastify from 'fastify';
import { expect, test } from 'vitest';
import type { BuiltFile } from '../http/built-files.ts';
import { serveSite } from './site.ts';

const file = (text: string, type = 'text/html; charset=utf-8'): BuiltFile => ({
  type,
  plain: Buffer.from(text),
  br: Buffer.from(`br of ${text}`),
  gz: null,
});
const FILES = new Map([
  ['index.html', file('<home>')],
  ['first-job.html', file('<first job>')],
  ['decisions/index.html', file('<decisions>')],
  ['decisions/0001-tables.html', file('<tables>')],
  ['404.html', file('<not found>')],
  ['assets/app-1.js', file('app', 'text/javascript; charset=utf-8')],
]);

async function ask(url: string, files: typeof FILES | null = FILES, headers = {}) {
  const app = Fastify();
  app.get('/docs/reference', () => '<reference>');
  serveSite(app, () => files);
  return app.inject({ url, headers });
}

test.each([
  ['/docs/', '<home>'],
  ['/docs/first-job', '<first job>'],
  ['/docs/first-job.html', '<first job>'],
  ['/docs/decisions/', '<decisions>'],
  ['/docs/decisions/0001-tables', '<tables>'],
])('%s is its page, which runs scripts of the site alone', async (url, page) => {
  const { statusCode, body, headers } = await ask(url);
  expect([statusCode, body, headers['cache-control']]).toEqual([200, page, 'no-cache']);
  const policy = String(headers['content-security-policy']);
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
  expect(policy).not.toContain('unsafe');
});

test.each([
  ['/docs', '/docs/'],
  ['/docs/decisions', '/docs/decisions/'],
])('%s leads to %s', async (url, place) => {
  const { statusCode, headers } = await ask(url);
  expect([statusCode, headers.location]).toEqual([302, place]);
});

test('the page of the API is there, with the site and without', async () => {
  expect((await ask('/docs/reference')).body).toBe('<reference>');
  expect((await ask('/docs/reference', null)).body).toBe('<reference>');
});

test.each(['/docs', '/docs/'])('%s leads to the page of the API without a site', async (url) => {
  expect((await ask(url, null)).headers.location).toBe('/docs/reference');
});

test('what is missing is a page that says so, and a script is no page', async () => {
  const page = await ask('/docs/no-such');
  expect([page.statusCode, page.body]).toEqual([404, '<not found>']);
  const script = await ask('/docs/assets/app-0.js');
  expect([script.statusCode, script.body.includes('<not found>')]).toEqual([404, false]);
});

test.each(['/docs/../server/package.json', '/docs/%2e%2e/package.json', '/docs/..%2fpackage.json'])(
  '%s is no file of the disk',
  async (url) => {
    expect((await ask(url)).statusCode).toBe(404);
  },
);

test('assets last, compressed for those who take it', async () => {
  const { headers, body } = await ask('/docs/assets/app-1.js', FILES, { 'accept-encoding': 'br' });
  expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
  expect([headers['content-encoding'], body]).toEqual(['br', 'br of app']);
});

test('a site that is built while the server runs is found', async () => {
  const app = Fastify();
  let files: typeof FILES | null = null;
  serveSite(app, () => files);
  expect((await app.inject('/docs')).headers.location).toBe('/docs/reference');
  files = FILES;
  expect((await app.inject('/docs')).headers.location).toBe('/docs/');
});
