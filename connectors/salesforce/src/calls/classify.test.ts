import { describe, expect, test } from 'vitest';
import { refusal } from './classify.ts';

const said = (errorCode: string, message = 'No.', fields?: string[]) => [
  { errorCode, message, ...(fields !== undefined && { fields }) },
];

describe('what Salesforce refuses', () => {
  test.each([
    [401, 'INVALID_SESSION_ID', 'session', true],
    [403, 'REQUEST_LIMIT_EXCEEDED', 'limit', true],
    [400, 'UNABLE_TO_LOCK_ROW', 'lock', true],
    [503, 'SERVER_UNAVAILABLE', 'unavailable', true],
    [404, 'NOT_FOUND', 'notFound', false],
    [404, 'ENTITY_IS_DELETED', 'notFound', false],
    [400, 'DUPLICATE_VALUE', 'duplicate', false],
    [400, 'STORAGE_LIMIT_EXCEEDED', 'storage', false],
    [400, 'MALFORMED_QUERY', 'data', false],
    [400, 'FIELD_CUSTOM_VALIDATION_EXCEPTION', 'data', false],
    [500, 'APEX_ERROR', 'data', false],
    [403, 'INSUFFICIENT_ACCESS', 'data', false],
    [404, 'SOME_NEW_CODE', 'notFound', false],
  ] as const)('%i %s is %s', (status, code, kind, retryable) => {
    expect(refusal(status, said(code))).toMatchObject({
      code,
      kind,
      status,
      retryable,
      outcome: 'refused',
    });
  });

  test('the code counts before the status', () => {
    expect(refusal(404, said('UNABLE_TO_LOCK_ROW')).kind).toBe('lock');
  });

  test('a lock that Apex ran into is a lock', () => {
    const message = 'System.DmlException: Update failed. first error: UNABLE_TO_LOCK_ROW, unable';
    expect(refusal(500, said('APEX_ERROR', message)).kind).toBe('lock');
    expect(refusal(400, said('STRING_TOO_LONG', message)).kind).toBe('data');
  });

  test('fields and message are told', () => {
    const error = refusal(400, said('STRING_TOO_LONG', 'Too long: 300', ['Name']));
    expect(error.message).toBe('STRING_TOO_LONG: Too long: 300');
    expect(error.fields).toEqual(['Name']);
  });

  test('of several errors the one that halted the others counts', () => {
    const body = [...said('PROCESSING_HALTED', 'rolled back'), ...said('DUPLICATE_VALUE')];
    expect(refusal(400, body).code).toBe('DUPLICATE_VALUE');
  });

  test.each([
    [301, 'data', 'refused'],
    [401, 'session', 'refused'],
    [404, 'notFound', 'refused'],
    [413, 'data', 'refused'],
    [500, 'unavailable', 'unknown'],
    [502, 'unavailable', 'unknown'],
    [503, 'unavailable', 'unknown'],
  ] as const)('without a code, %i is %s and %s', (status, kind, outcome) => {
    for (const body of [null, '<html>', [], {}, [{ message: 'x' }], [null]]) {
      expect(refusal(status, body)).toMatchObject({ code: `http_${status}`, kind, outcome });
    }
  });

  test('an exception that nobody knows promises nothing', () => {
    const error = refusal(500, said('UNKNOWN_EXCEPTION'));
    expect(error).toMatchObject({ outcome: 'unknown', kind: 'unavailable' });
  });

  test('a token that is quoted is taken out, and a message has its end', () => {
    const error = refusal(400, said('X', `bad 00Dabc! ${'x'.repeat(5_000)}`), {
      secrets: ['00Dabc!'],
    });
    expect(error.message).toMatch(/^X: bad \[secret\] x+…$/);
    expect(error.message.length).toBeLessThan(1_100);
  });
});
