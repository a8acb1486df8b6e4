import type { SignIn } from '@millrace/api';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import type { BuiltFile } from '../http/built-files.ts';
import { serveConsole } from './route.ts';

const file = (text: string, type = 'text/javascript; charset=utf-8'): BuiltFile => ({
  type,
  plain: Buffer.from(text),
  br: null,
  gz: Buffer.from(`gz of ${text}`),
});
const FILES = new Map([
  ['index.html', file('<page>', 'text/html; charset=utf-8')],
  ['theme.js', file('theme')],
  ['assets/main-1.js', file('main')],
]);
const SIGN_IN = {
  required: true,
  issuer: 'https://login.example/t/v2.0',
  clientId: 'c',
  scope: 's',
} as SignIn;

function ask(url: string, headers: Record<string, string> = {}) {
  const app = Fastify();
  serveConsole(app, FILES, SIGN_IN);
  return app.inject({ url, headers });
}

test.each([
  '/console/',
  '/console/jobs/pg-1',
  '/console/../server/dist/main.js',
  '/console/%2e%2e/package.json',
])('%s is the page, or not here: never a file of the disk', async (url) => {
  const { statusCode, body } = await ask(url);
  expect([statusCode, body]).toBeOneOf([
    [200, '<page>'],
    [404, expect.anything()],
  ]);
  expect(body).not.toContain('import');
});

test('the page allows scripts and styles of its own, and calls to the issuer', async () => {
  const { headers } = await ask('/console/jobs');
  const policy = String(headers['content-security-policy']);
  expect(policy).toContain("script-src 'self'");
  expect(policy).toContain("connect-src 'self' https://login.example;");
  expect(policy).not.toContain('unsafe');
  expect(headers['cache-control']).toBe('no-cache');
});

test('a file of the build lasts, compressed for who takes it', async () => {
  const plain = await ask('/console/assets/main-1.js');
  expect([plain.body, plain.headers['cache-control']]).toEqual([
    'main',
    'public, max-age=31536000, immutable',
  ]);
  const small = await ask('/console/assets/main-1.js', { 'accept-encoding': 'gzip, deflate' });
  expect([small.body, small.headers['content-encoding']]).toEqual(['gz of main', 'gzip']);
});

test('a file of the version before is missing, and not the page', async () => {
  expect((await ask('/console/assets/main-0.js')).statusCode).toBe(404);
});

test('without a built console the address leads to the documentation', async () => {
  const app = Fastify();
  serveConsole(app, null, SIGN_IN);
  expect((await app.inject('/')).headers.location).toBe('/docs');
});
