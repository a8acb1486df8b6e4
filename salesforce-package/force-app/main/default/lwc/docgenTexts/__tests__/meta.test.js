const { readFileSync, readdirSync } = require('node:fs');
const { join } = require('node:path');
const { setStage } = require('./stage.cjs');

setStage();
const { createElement } = require('lwc');

const BUNDLES = join(__dirname, '../..');
const metaOf = (name) => readFileSync(join(BUNDLES, name, `${name}.js-meta.xml`), 'utf8');
const targetsOf = (meta) => [...meta.matchAll(/<target>(.+?)<\/target>/g)].map(([, one]) => one);

it.each([
  [
    'docgenButton',
    ['lightning__RecordPage', 'lightningCommunity__Page', 'lightningCommunity__Default'],
  ],
  [
    'docgenList',
    ['lightning__RecordPage', 'lightningCommunity__Page', 'lightningCommunity__Default'],
  ],
  ['docgenAction', ['lightning__RecordAction']],
])('%s can be put where it should, on any object', (name, targets) => {
  const meta = metaOf(name);
  expect(meta).toContain('<isExposed>true</isExposed>');
  expect(targetsOf(meta)).toEqual(targets);
  expect(meta).not.toContain('<object>');
});

it('the action opens a screen', () => {
  expect(metaOf('docgenAction')).toContain('<actionType>ScreenAction</actionType>');
});

it.each(['docgenButton', 'docgenList'])('%s has every property that its page offers', (name) => {
  const component = createElement(`c-${name}`, { is: require(`c/${name}`).default });
  const properties = [...metaOf(name).matchAll(/<property\s[^]*?name="(\w+)"/g)];
  expect(properties.length).toBeGreaterThan(0);
  for (const [, property] of properties) expect(property in component).toBe(true);
});

it('the button can be set up on a record page', () => {
  const [config] = metaOf('docgenButton').match(
    /<targetConfig targets="lightning__RecordPage">[^]*?<\/targetConfig>/,
  );
  const names = [...config.matchAll(/name="(\w+)"/g)].map(([, property]) => property);
  expect(names).toEqual(['defaultTemplate', 'label', 'variant', 'showList']);
});

it('what only others import is not exposed', () => {
  const bundles = readdirSync(BUNDLES, { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  const exposed = bundles
    .map(({ name }) => name)
    .filter((name) => metaOf(name).includes('<isExposed>true'));
  expect(new Set(exposed)).toEqual(new Set(['docgenAction', 'docgenButton', 'docgenList']));
});
