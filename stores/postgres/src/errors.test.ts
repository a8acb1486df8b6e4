import { StoreStopped, StoreTimedOut, StoreUnavailable } from '@millrace/engine';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { storeError, unavailable } from './errors.ts';

function postgres(code: string, routine = ''): Error {
  return Object.assign(new pg.DatabaseError('No.', 3, 'error'), { code, routine });
}

describe('what a driver throws', () => {
  it.each([
    ['the server restarts', postgres('57P01')],
    ['the server starts up or recovers', postgres('57P03')],
    ['too many connections', postgres('53300')],
    ['a deadlock', postgres('40P01')],
    ['a full disk', postgres('53100')],
    ['a replica that is read-only', postgres('25006')],
    ['a right that was taken away', postgres('42501')],
    ['a transaction that stood idle for too long', postgres('25P03')],
    ['a statement that the pooler’s server has not prepared', postgres('26000')],
    ['one that it has prepared for someone else', postgres('42P05')],
    ['columns that a migration has changed', postgres('0A000', 'RevalidateCachedQuery')],
    ['a reset', Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })],
    ['a broken pipe, whose code has five letters', Object.assign(new Error(), { code: 'EPIPE' })],
    ['an end without a word', new Error('Connection terminated unexpectedly')],
    ['what is no error', 'gone'],
  ])('%s: the database is away', (_, thrown) => {
    const error = storeError(thrown);
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect(error).not.toBeInstanceOf(StoreTimedOut);
    expect(error.cause).toBe(thrown);
  });

  it.each([
    ['statement_timeout', postgres('57014')],
    ['transaction_timeout', postgres('25P04')],
    ['query_timeout', new Error('Query read timeout')],
  ])('%s: it was there and too slow', (_, thrown) => {
    const error = storeError(thrown);
    expect(error).toBeInstanceOf(StoreTimedOut);
    expect(error.cause).toBe(thrown);
  });

  it.each([
    ['a value out of range', postgres('22003')],
    ['a constraint', postgres('23505')],
    ['a feature that is not there', postgres('0A000', 'transformStmt')],
    ['a missing column', postgres('42703')],
  ])('%s: the data is at fault', (_, thrown) => {
    expect(storeError(thrown)).toBe(thrown);
  });

  it.each([
    ['53100', 'The disk of the database is full (No.).'],
    ['57P03', 'The database did not answer: No.'],
  ])('%s is said in words', (code, message) => {
    expect(storeError(postgres(code)).message).toBe(message);
  });

  it('which database it is, is said, where that is known', () => {
    const place = '"orders" at db.example.com:5432';
    expect(unavailable(new Error('connect ECONNREFUSED'), place).message).toBe(
      'The database "orders" at db.example.com:5432 did not answer: connect ECONNREFUSED',
    );
    expect(storeError(postgres('53100'), place).message).toBe(
      'The disk of the database is full ("orders" at db.example.com:5432: No.).',
    );
  });

  it('a password that is nowhere is said in words', () => {
    const said = 'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string';
    expect(unavailable(new Error(said)).message).toMatch(
      /^The database asks for a password, and DATABASE_URL has none/,
    );
  });

  it('an embedded database that has stopped is not one that comes back', () => {
    const error = Object.assign(new Error('It has stopped.'), { code: 'EMBEDDED_STOPPED' });
    expect(storeError(error)).toBeInstanceOf(StoreStopped);
  });

  it('is mapped once', () => {
    const error = storeError(postgres('57014'));
    expect(storeError(error)).toBe(error);
  });

  it('before a statement was sent is never about the data', () => {
    expect(unavailable(postgres('28P01'))).toBeInstanceOf(StoreUnavailable);
  });
});
