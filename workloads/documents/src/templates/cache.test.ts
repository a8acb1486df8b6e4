import { expect, test } from 'vitest';
import { later } from '../../test/world.ts';
import { createTemplateCache } from './cache.ts';

const cacheOf = (maxBytes: number) =>
  createTemplateCache<string>({ sizeOf: (value) => value.length, maxBytes });
const give = (value: string) => () => Promise.resolve(value);
const never = () => Promise.reject(new Error('It should have been there.'));

test('keeps what was used last, within its size', async () => {
  const cache = cacheOf(10);
  await cache.get('a', give('aaaa'));
  await cache.get('b', give('bbbb'));
  expect((await cache.get('a', never)).hit).toBe(true);
  await cache.get('c', give('cccc')); // b was not used for longest
  expect((await cache.get('a', never)).hit).toBe(true);
  expect((await cache.get('c', never)).hit).toBe(true);
  expect(cache.stats()).toEqual({
    hits: 3,
    misses: 3,
    evictions: 1,
    currentSize: 8,
    entryCount: 2,
  });
  expect((await cache.get('b', give('b'))).hit).toBe(false);
});

test('one that is larger than the cache pushes nothing out', async () => {
  const cache = cacheOf(10);
  await cache.get('a', give('aaaa'));
  await cache.get('huge', give('x'.repeat(11)));
  expect((await cache.get('a', never)).hit).toBe(true);
  expect(cache.stats()).toMatchObject({ entryCount: 1, currentSize: 4, evictions: 0 });
});

test('those who ask at the same time wait for one loading', async () => {
  const cache = cacheOf(10);
  const { promise, resolve } = later();
  let loads = 0;
  const load = async () => {
    loads += 1;
    await promise;
    return 'value';
  };
  const all = [cache.get('a', load), cache.get('a', load), cache.get('a', load)];
  resolve();
  expect((await Promise.all(all)).map(({ value }) => value)).toEqual(['value', 'value', 'value']);
  expect(loads).toBe(1);
});

test('a loading that fails is not kept', async () => {
  const cache = cacheOf(10);
  const fail = () => Promise.reject(new Error('Away.'));
  const both = await Promise.allSettled([cache.get('a', fail), cache.get('a', fail)]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect((await cache.get('a', give('a'))).value).toBe('a');
});

test('what is forgotten is loaded again, also when it was under way', async () => {
  const cache = cacheOf(10);
  await cache.get('a', give('old'));
  cache.forget('a');
  expect(cache.stats()).toMatchObject({ currentSize: 0, entryCount: 0 });
  const { promise, resolve } = later();
  const under = cache.get('a', async () => {
    await promise;
    return 'old';
  });
  cache.forget('a');
  expect((await cache.get('a', give('new'))).value).toBe('new');
  resolve();
  expect((await under).value).toBe('old');
  expect((await cache.get('a', never)).value).toBe('new');
});
