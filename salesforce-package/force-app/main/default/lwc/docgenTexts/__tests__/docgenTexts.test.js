const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { labels, setStage } = require('./stage.cjs');

setStage();
const { fill, texts } = require('c/docgenTexts');

const source = readFileSync(join(__dirname, '../docgenTexts.js'), 'utf8');
const imported = [...source.matchAll(/@salesforce\/label\/c\.(\w+)'/g)].map(([, name]) => name);

it('imports the labels of the file, and no others', () => {
  expect(new Set(imported)).toEqual(new Set(labels().keys()));
});

it('has a text under each name', () => {
  expect(Object.keys(texts)).toHaveLength(imported.length);
  expect(texts.reasonTemplate).toBe(labels().get('Docgen_ReasonTemplate'));
  expect(Object.values(texts).every((text) => text.length > 0)).toBe(true);
});

it('puts values into their places', () => {
  expect(fill('{0} min {1} s', 2, '05')).toBe('2 min 05 s');
  expect(fill('{1}, then {0}', 'a', 'b')).toBe('b, then a');
});

it('leaves a place without a value, and a value with a place in it, as they are', () => {
  expect(fill('{0} {1}', 'a')).toBe('a {1}');
  expect(fill('{0}!', '{0}')).toBe('{0}!');
});
