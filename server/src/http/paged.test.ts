import { describe, expect, test } from 'vitest';
import { paged } from './paged.ts';
import { Refusal } from './refusal.ts';

const names = ['delta', 'alpha', 'Émile', 'charlie', 'bravo'];
const page = (asked: { limit?: number; cursor?: string }, from = names) =>
  paged('names', from, (name) => name, asked);

describe('a page of a list in memory', () => {
  test('is the whole list, in order, where nothing else is asked for', () => {
    expect(page({})).toEqual({
      items: ['alpha', 'bravo', 'charlie', 'delta', 'Émile'],
      next: null,
    });
  });

  test('leads to the next one, until there is none', () => {
    const seen: string[][] = [];
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const { items, next } = page({ limit: 2, ...(cursor && { cursor }) });
      seen.push(items);
      cursor = next;
    }
    expect(seen).toEqual([['alpha', 'bravo'], ['charlie', 'delta'], ['Émile']]);
  });

  test('has no next when it ends with the list', () => {
    expect(page({ limit: 5 }).next).toBeNull();
    expect(page({ limit: 5 }, []).next).toBeNull();
  });

  test('repeats and loses nothing when the list changes between two', () => {
    const { items, next } = page({ limit: 2 });
    expect(items).toEqual(['alpha', 'bravo']);
    const changed = [...names.filter((name) => name !== 'bravo'), 'aaron', 'cecil'];
    expect(page({ limit: 2, ...(next && { cursor: next }) }, changed).items).toEqual([
      'cecil',
      'charlie',
    ]);
  });

  test.each([
    ['words', 'not a cursor'],
    ['what decodes to other text', Buffer.from('nothing').toString('base64url')],
    ['a cursor of another list', Buffer.from('kinds alpha').toString('base64url')],
    ['base64 with padding', Buffer.from('names alpha').toString('base64')],
    ['bytes that are no text', Buffer.from('names \u0000\xff', 'latin1').toString('base64url')],
  ])('refuses %s', (_, cursor) => {
    expect(() => page({ cursor })).toThrow(Refusal);
    expect(() => page({ cursor })).toThrow(expect.objectContaining({ code: 'invalid_cursor' }));
  });
});
