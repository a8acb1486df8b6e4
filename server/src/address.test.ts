import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { addressOf } from './address.ts';

test.each([
  ['127.0.0.1', /^http:\/\/127\.0\.0\.1:\d+$/],
  ['0.0.0.0', /^http:\/\/0\.0\.0\.0:\d+$/],
  ['::', /^http:\/\/\[::\]:\d+$/],
  ['::1', /^http:\/\/\[::1\]:\d+$/],
])('on %s it says so, with the port that it got', async (host, said) => {
  const server = createServer();
  server.listen(0, host);
  await once(server, 'listening');
  expect(addressOf(server)).toMatch(said);
  expect(Number(new URL(addressOf(server)).port)).toBeGreaterThan(0);
  server.close();
});
