import { expect, test } from 'vitest';
import { parseSecret, sign } from './sign.ts';

// The example of the Standard Webhooks documentation, so that every library of theirs verifies ours.
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const ID = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
const BODY = '{"test": 2432232314}';

test('signs as the published example does', () => {
  const key = parseSecret(SECRET);
  expect(key && sign(key, ID, 1614265330, BODY)).toBe(
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  );
});

test('takes a key with and without its prefix', () => {
  expect(parseSecret(SECRET)).toEqual(parseSecret(SECRET.slice('whsec_'.length)));
});

test.each([
  '',
  'whsec_',
  'short',
  'whsec_c2hvcnQ=',
  'my very secret passphrase!',
  `whsec_${'A'.repeat(100)}`,
])('refuses %j as a key', (text) => expect(parseSecret(text)).toBeNull());
