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
    [400, 'REQUEST_RUNNING_TOO_LONG', 'overrun', true],
    [403, 'API_CURRENTLY_DISABLED', 'unavailable', true],
    [403, 'TOO_MANY_APEX_REQUESTS', 'unavailable', true],
    [400, 'INSERT_UPDATE_DELETE_NOT_ALLOWED_DURING_MAINTENANCE', 'unavailable', true],
    [400, 'FUNCTIONALITY_TEMPORARILY_UNAVAILABLE', 'unavailable', true],
    [403, 'ORG_IN_MAINTENANCE', 'unavailable', true],
    [403, 'ORG_LOCKED', 'data', false],
    [403, 'API_DISABLED_FOR_ORG', 'data', false],
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

  test('a lock that Apex or a flow ran into is a lock', () => {
    const message = 'System.DmlException: Update failed. first error: UNABLE_TO_LOCK_ROW, unable';
    expect(refusal(500, said('APEX_ERROR', message)).kind).toBe('lock');
    expect(refusal(400, said('CANNOT_EXECUTE_FLOW_TRIGGER', message)).kind).toBe('lock');
    expect(refusal(400, said('STRING_TOO_LONG', message)).kind).toBe('data');
  });

  test.each([
    ['System.LimitException: Apex CPU time limit exceeded', 'overrun'],
    ['System.LimitException: ConcurrentPerOrgLongTxn Limit exceeded.', 'unavailable'],
    ['Name: Please fill in this field', 'data'],
  ] as const)('a trigger that says "%s" is %s', (message, kind) => {
    const error = refusal(400, said('CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY', `T: ${message}`));
    expect(error).toMatchObject({ kind, outcome: 'refused', retryable: kind !== 'data' });
  });

  test('fields and message are reported', () => {
    const error = refusal(400, said('STRING_TOO_LONG', 'Too long: 300', ['Name']));
    expect(error.message).toBe('STRING_TOO_LONG: Too long: 300');
    expect(error.fields).toEqual(['Name']);
  });

  test('of several errors the one that halted the others counts', () => {
    const body = [...said('PROCESSING_HALTED', 'rolled back'), ...said('DUPLICATE_VALUE')];
    expect(refusal(400, body).code).toBe('DUPLICATE_VALUE');
  });

  test.each([
    [401, 'session', 'refused'],
    [413, 'data', 'refused'],
    [429, 'limit', 'refused'],
    ...[301, 302, 400, 403, 404, 407, 408, 420, 500, 502, 503].map(
      (status) => [status, 'unavailable', 'unknown'] as const,
    ),
  ] as const)('without a code, %i is %s and %s', (status, kind, outcome) => {
    for (const body of [null, '<html>', [], {}, [{ message: 'x' }], [null]]) {
      const retryable = kind !== 'data';
      expect(refusal(status, body)).toMatchObject({
        code: `http_${status}`,
        kind,
        outcome,
        retryable,
      });
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
