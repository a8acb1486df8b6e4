import { expect, test } from 'vitest';
import { createCodes } from './codes.ts';
import { createDevices } from './devices.ts';
import { messagePage } from './pages.ts';
import { createSessions } from './sessions.ts';
import { createTransactions } from './transactions.ts';

/** Anyone can start what they never end, so everything that waits is counted. The oldest makes room. */

const now = () => 0;
const client = { id: 'cli' };
const user = { username: 'ada', name: 'Ada', roles: [] };
const session = createSessions(now).start(user, client, []);

/** Whether the first and the second are still there when `count` have been made. */
function firstTwo<Made>(count: number, make: () => Made, isThere: (made: Made) => boolean) {
  const [first, second] = Array.from({ length: count }, make);
  return [first, second].map((made) => made !== undefined && isThere(made));
}

test('open sign-in pages', () => {
  const { open, find } = createTransactions(now);
  const answer = () => messagePage(200, '', '');
  const page = { client, userCode: null, returnsTo: null, accept: answer, refuse: answer };
  const make = () => open(page);
  expect(firstTwo(1_001, make, (id) => find(id) !== undefined)).toEqual([false, true]);
});

test('codes', () => {
  const codes = createCodes(now);
  const code = { session, redirectUri: '', challenge: undefined, nonce: undefined };
  const make = () => codes.issue(code);
  expect(firstTwo(1_001, make, (text) => codes.redeem(text) !== null)).toEqual([false, true]);
});

test('device codes', () => {
  const devices = createDevices(now);
  const make = () => devices.start(client, []).userCode;
  expect(firstTwo(1_001, make, (text) => devices.find(text) !== null)).toEqual([false, true]);
});

test('refresh tokens', () => {
  const sessions = createSessions(now);
  const make = () => sessions.issueRefreshToken(session) ?? '';
  const isThere = (token: string) => sessions.present(token, client) !== null;
  expect(firstTwo(10_001, make, isThere)).toEqual([false, true]);
});

test('sign-ins', () => {
  const sessions = createSessions(now);
  const make = () => sessions.start(user, client, []).id;
  expect(firstTwo(10_001, make, (id) => sessions.find(id) !== undefined)).toEqual([false, true]);
});
