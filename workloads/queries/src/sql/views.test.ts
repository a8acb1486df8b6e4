import { expect, test } from 'vitest';

import { checkSql } from './check.ts';
import { NO_CATALOGUE } from './columns.ts';
import { VIEWS } from './views.ts';

test('each view has fields whose names are unlike each other', () => {
  for (const view of VIEWS.values()) {
    const names = view.fields.map((field) => field.name.toLowerCase());
    expect(names.length).toBeGreaterThan(0);
    expect(new Set(names).size).toBe(names.length);
    expect(view.fields.every((field) => /^_?[A-Za-z_]+$/.test(field.name))).toBe(true);
  }
});

test('a view that is whole can be selected whole', () => {
  const whole = [...VIEWS.values()].filter((view) => !view.isOpen);
  for (const view of whole)
    expect(checkSql(`SELECT * FROM ${view.name}`, NO_CATALOGUE).findings).toEqual([]);
});

test('fields have the types that queries depend on', () => {
  const typeOf = (view: string, name: string) =>
    VIEWS.get(view)?.fields.find((field) => field.name === name);
  expect(typeOf('_sent', 'EventDate')).toEqual({ name: 'EventDate', type: 'Date' });
  expect(typeOf('_click', 'SubscriberKey')).toEqual({
    name: 'SubscriberKey',
    type: 'Text',
    maxLength: 254,
  });
  expect(typeOf('_bounce', 'SMTPMessage')).toEqual({
    name: 'SMTPMessage',
    type: 'Text',
    maxLength: null,
  });
  expect(typeOf('_job', 'DeduplicateByEmail')).toEqual({
    name: 'DeduplicateByEmail',
    type: 'Boolean',
  });
});
