import { StoreUnavailable } from '@millrace/engine';
import { expect, test } from 'vitest';
import { storeError } from './errors.ts';

test.each([
  "Stream isn't writeable and enableOfflineQueue options is false",
  'Connection is closed.',
])('"%s" is said in our words', (message) => {
  const error = storeError(new Error(message));
  expect(error).toBeInstanceOf(StoreUnavailable);
  expect(error.message).toBe('There is no connection to Redis.');
});
