import { expect, test } from 'vitest';
import { wrapped } from './wrap.ts';

interface Store {
  readonly name: string;
  readonly part?: object;
  verb(): number;
}

const store: Store = { name: 's', verb: () => 1 };

test('a member is passed on or replaced, and one that the store lacks is lacking', () => {
  const wrapper = wrapped(store, ['name', 'part'], { verb: () => 2 });
  expect(wrapper.verb()).toBe(2);
  expect(Object.keys(wrapper)).toEqual(['name', 'verb']);
  const part = {};
  expect(wrapped({ ...store, part }, ['name', 'part', 'verb'], {}).part).toBe(part);
});

test('a member of which nothing is said does not compile', () => {
  // @ts-expect-error: says nothing of the verb.
  const lacksVerb = wrapped(store, ['name', 'part'], {});
  // @ts-expect-error: says nothing of the part, although a store may lack it.
  const lacksPart = wrapped(store, ['name'], { verb: () => 2 });
  expect([lacksVerb, lacksPart]).toHaveLength(2);
});
