import { describe, expect, test } from 'vitest';
import { SERVICES_FILE, simpleReport, testFolder } from '../../test/catalogue.ts';
import { storedReport } from './catalogue.ts';

/** What is said about a report of these lines, without its file's name. */
async function problemsOf(text: string): Promise<string[]> {
  const folder = testFolder({ 'it.yaml': text, 'services.yaml': SERVICES_FILE });
  await folder.load();
  return folder.problems().map((each) => each.replace('it.yaml:', ''));
}

test.each(['runs', 'graph', 'sample'])(
  'a report cannot be called %s, as a route is',
  async (name) => {
    const folder = testFolder({ [`${name}.yaml`]: simpleReport('') });
    const { reports } = await folder.load();
    expect(reports.size).toBe(0);
    expect(folder.problems().join()).toContain(
      `the file cannot be called ${name}.yaml, which is a word of the API. Rename it.`,
    );
  },
);

test('a report file that uses everything is a report', async () => {
  const folder = testFolder({
    'services.yaml': SERVICES_FILE,
    'it.yaml': `
title: All of it
description: For the test
timeZone: Europe/Berlin
parameters:
  county: { type: whole number, list: true, required: false, min: 1, max: 58 }
  period: { type: date range, default: last month, label: Days }
  state: { type: choice, choices: { open: Still open, paid: Paid }, default: open }
sql: |
  SELECT id, county_id, hours, updated_at FROM things
   WHERE day BETWEEN :period_from AND :period_to AND state = :state
     AND (:county IS NULL OR county_id = ANY (:county))
key: [county_id, id]
columns:
  id: Number
  hours: { label: Hours, format: 2 decimals }
  updated_at: { hidden: true }
rows:
  - { roles: [operator, admin], see: all }
  - { when: { department: audit }, column: county_id, is: [1, 2] }
  - all: [{ column: county_id, claim: county }, { column: state, is: open }]
asOf: updated_at
outputs: { formats: [csv, xlsx], compression: gzip, file: 'all-{period}-{created}' }
expires: 7d
timeout: 90m
keepToken: true
formulaGuard: false
cover: sheet
schedule:
  - { cron: 0 6 * * 1-5, as: nightly, parameters: { period: yesterday }, missed: skip }
  - { name: monthly, cron: 0 7 1 * *, timeZone: UTC, as: bay, output: { format: xlsx }, overlap: allow }
`,
  });
  const view = await folder.load();
  expect(folder.problems()).toEqual([]);
  const definition = view.reports.get('it');
  const report = definition?.value;
  expect(report).toMatchObject({
    title: 'All of it',
    key: ['county_id', 'id'],
    timeZone: 'Europe/Berlin',
    expiresMs: 7 * 86_400_000,
    timeoutMs: 90 * 60_000,
    public: false,
    keepToken: true,
    formulaGuard: false,
    cover: { template: 'sheet', when: 'always' },
    columns: [
      { name: 'id', label: 'Number', format: null, hidden: false },
      { name: 'hours', label: 'Hours', format: { as: 'decimal', places: 2 } },
      { name: 'updated_at', label: null, hidden: true },
    ],
    outputs: { formats: ['csv', 'xlsx'], compression: 'gzip' },
  });
  expect(report?.parameters.map(({ name, label, required }) => [name, label, required])).toEqual([
    ['county', 'County', false],
    ['period', 'Days', true],
    ['state', 'State', true],
  ]);
  expect(report?.rows).toEqual([
    { roles: ['operator', 'admin'], when: {}, see: 'all' },
    {
      roles: null,
      when: { department: ['audit'] },
      see: [{ column: 'county_id', is: ['1', '2'] }],
    },
    {
      roles: null,
      when: {},
      see: [
        { column: 'county_id', claim: 'county' },
        { column: 'state', is: ['open'] },
      ],
    },
  ]);
  expect(report?.schedules).toMatchObject([
    {
      name: 'report:it',
      timeZone: 'Europe/Berlin',
      missed: 'skip',
      overlap: 'skip',
      output: { format: 'csv', compression: 'gzip' },
    },
    { name: 'report:it:monthly', timeZone: 'UTC', output: { format: 'xlsx', compression: null } },
  ]);
  // Kept with a job, it is the same report when it is read again.
  expect(storedReport('it', definition?.text ?? '')).toEqual(report);
});

const lines = {
  missing: 'title: x\nsql: SELECT 1 AS id\nkey: id\n',
  public: 'title: x\nsql: SELECT 1 AS id\nkey: id\npublic: true\n',
};

describe('row rules and keys', () => {
  test('a report without row rules is refused, unless it says that it is public', async () => {
    expect(await problemsOf(lines.missing)).toEqual([
      expect.stringMatching(/^1:1 It does not say who sees which rows.*public: true/),
    ]);
    expect(await problemsOf(lines.public)).toEqual([]);
    expect(await problemsOf(lines.missing + 'public: false\n')).toHaveLength(1);
  });
  test('a report without key columns is refused, public or not', async () => {
    const problems = await problemsOf('title: x\nsql: SELECT 1 AS id\npublic: true\n');
    expect(problems).toEqual([
      '1:1 key: this is missing. Write the columns that are together different in each row, such as id.',
    ]);
  });
  test.each([
    ['  - { see: all }', /^9:5 rows\[2\]: this rule shows all rows to everyone/],
    ['  - { roles: admin }', /^9:5 rows\[2\]: a rule says one thing/],
    ['  - { see: nothing, column: a, claim: b }', /^9:5 rows\[2\]: a rule says one thing/],
    ['  - { roles: admin, see: all, claim: b }', /^9:5 rows\[2\]: claim is about a column/],
    ['  - { column: a }', /^9:5 rows\[2\]: a column has one of the values/],
    ['  - { roles: auditor, see: all }', /^9:14 rows\[2\]\.roles: /],
    ['  - { see: nothing }\n  - { column: b, claim: c }', /^10:5 rows\[3\]: .*about everyone/],
    ['public: true', /^6:1 rows: the report says public: true/],
  ])('%s is refused', async (more, problem) =>
    expect(await problemsOf(simpleReport(more))).toEqual([expect.stringMatching(problem)]),
  );
});

describe('parameters', () => {
  const withParameter = (line: string) =>
    `title: x\nsql: SELECT :it AS id\nkey: id\npublic: true\nparameters:\n  it: ${line}\n`;
  test.each([
    [
      'integer',
      /^6:3 parameters\.it\.type: there is no "integer" here\. Did you mean "whole number"\?$/,
    ],
    ['{ type: dat }', /^6:15 .*Did you mean "date"/],
    ['{ type: date, default: last month }', /^6:30 parameters\.it\.default: write a date/],
    [
      '{ type: date, default: yesterday, min: 2026-01-32 }',
      /^6:46 parameters\.it\.min: write a date/,
    ],
    ['{ type: whole number, default: 5, max: 4 }', /default: write a number of at most 4/],
    ['{ type: choice }', /a choice needs choices/],
    ['{ type: text, choices: [a] }', /only a choice has choices/],
    ['{ type: choice, choices: [a, a] }', /a value of its own/],
    ['{ type: choice, choices: [a], default: b }', /default: there is no "b" here/],
    ['{ type: boolean, list: true }', /cannot be a list/],
    ['{ type: boolean, min: 1 }', /has no bounds/],
    ['{ type: text, requird: false }', /^6:21 .*Did you mean "required"/],
    ['{ type: text, default: [a, b] }', /default: give it one value/],
    ['{ type: date, notBefore: from }', /notBefore: name another parameter/],
    ['{ type: date, notBefore: it }', /notBefore: name another parameter/],
  ])('%s is refused', async (line, problem) =>
    expect(await problemsOf(withParameter(line))).toEqual([expect.stringMatching(problem)]),
  );

  test.each(['text', 'month'])('a date is not held against a %s', async (type) => {
    const text = `title: x\nsql: SELECT :it AS id, :other AS b\nkey: id\npublic: true
parameters:\n  it: { type: ${type === 'text' ? 'text' : 'date'}, notBefore: other }\n  other: ${type}\n`;
    expect(await problemsOf(text)).toEqual([expect.stringMatching(/notBefore: both have to be/)]);
  });

  test('a name that SQL or file names have another use for is refused', async () => {
    const text = `title: x\nkey: id\npublic: true\nsql: SELECT :p_from AS id, :p_to AS b, :job AS c
parameters:\n  p: { type: date range }\n  p_from: date\n  job: text\n  Day: date\n`;
    expect(await problemsOf(text)).toEqual([
      expect.stringMatching(/^9:3 parameters\.Day: a parameter is named/),
    ]);
    expect(await problemsOf(text.replace('  Day: date\n', ''))).toEqual([
      expect.stringMatching(/^7:3 .*of the date range p/),
      expect.stringMatching(/^8:3 .*names of files use \{job\}/),
    ]);
  });

  test('those of the SQL and those of the file are the same', async () => {
    const text = (sql: string) =>
      `title: x\nkey: id\npublic: true\nparameters:\n  from: date\n  to: date\nsql: |\n${sql}\n`;
    expect(await problemsOf(text('  SELECT id FROM t\n   WHERE d > :from AND d < :too'))).toEqual([
      '9:28 sql: there is no parameter :too. Declared are :from, :to.',
    ]);
    expect(await problemsOf(text("  SELECT id, ':to' FROM t -- :to\n   WHERE d > :from"))).toEqual([
      '6:3 parameters.to: the SQL does not use it. Write :to there, or remove the parameter.',
    ]);
    expect(await problemsOf(text('  SELECT :from, :to; DROP TABLE t'))).toEqual([
      expect.stringMatching(/^8:20 sql: .*semicolon/),
    ]);
    expect(await problemsOf(text('  DELETE FROM t WHERE :from < :to'))).toHaveLength(1);
  });
});

test.each([
  ['outputs: { formats: [csv, pdf] }', /^9:27 outputs\.formats\[1\]: /],
  ['outputs: { formats: json }', /Did you mean "jsonl"/],
  ['outputs: { formats: xlsx, compression: gzip }', /compressed in themselves/],
  ['outputs: { file: "{form}" }', /^9:18 outputs\.file: there is no \{form\}\. There are/],
  ['outputs: { file: "../{day}" }', /no \/ /],
  ['outputs: { file: "{day" }', /brace/],
  ['expires: a week', /^9:10 expires: write a number with its unit/],
  ['timeout: 0s', /above 0/],
  ['timeZone: Berlin', /no time zone/],
  [
    'columns: { id: { format: 2 digits } }',
    /^9:26 columns\.id\.format: there is no format "2 digits"/,
  ],
  [
    'schedule: { cron: every day, as: nightly, parameters: { day: today } }',
    /^9:19 schedule\.cron: this is no cron expression/,
  ],
  ['schedule: { cron: 0 6 * * *, as: nightly }', /^9:1 schedule\.parameters\.day: give it a value/],
  [
    'schedule: { cron: 0 6 * * *, as: nightly, parameters: { day: today, dya: x } }',
    /dya: there is no such parameter/,
  ],
  [
    'schedule: { cron: 0 6 * * *, as: nihgtly, parameters: { day: today } }',
    /^9:34 schedule\.as: there is no service identity "nihgtly"\. Did you mean "nightly"/,
  ],
  [
    'schedule: { cron: 0 6 * * *, as: useless, parameters: { day: today } }',
    /useless sees nothing of it/,
  ],
  ['schedule: { cron: 0 6 * * *, parameters: { day: today } }', /schedule\.as: this is missing/],
  [
    'schedule: { cron: 0 6 * * *, as: nightly, parameters: { day: today }, output: { format: xls } }',
    /Did you mean "xlsx"/,
  ],
  [
    'schduele: { cron: 0 6 * * * }',
    /^9:1 schduele: there is no such field\. Did you mean "schedule"/,
  ],
])('%s is refused with its place', async (line, problem) =>
  expect(await problemsOf(simpleReport(`${line}\n`))).toEqual([expect.stringMatching(problem)]),
);

describe('an ORDER BY', () => {
  const text = (sql: string) =>
    `title: x\nkey: [county_id, id]\npublic: true\nsql: |\n  SELECT county_id, id FROM t\n  ${sql}\n`;
  test.each([
    'ORDER BY id',
    'ORDER BY county_id DESC, id',
    'ORDER BY county_id, id, name',
    'ORDER BY lower(county_id)',
    'ORDER BY 1',
    'WHERE id IN (SELECT id FROM t LIMIT 1) ORDER BY name',
  ])('that would have no effect is refused with its place: %s', async (sql) => {
    expect(await problemsOf(text(sql))).toEqual([
      expect.stringMatching(
        new RegExp(
          `^6:${3 + sql.lastIndexOf('ORDER')} sql: the rows of a report come in the order of its key \\(county_id, id\\)`,
        ),
      ),
    ]);
  });
  test.each([
    '(SELECT county_id, id FROM t ORDER BY name)',
    'WITH t AS (SELECT 1) (SELECT county_id, id FROM t ORDER BY name)',
    'SELECT county_id, id FROM t ORDER BY county_id COLLATE "C"',
    'SELECT county_id, id FROM t ORDER BY county_id USING >',
  ])('nor is it dropped from this: %s', async (sql) =>
    expect(await problemsOf(`title: x\nkey: [county_id, id]\npublic: true\nsql: ${sql}\n`)).toEqual(
      [expect.stringContaining('this ORDER BY would have no effect')],
    ),
  );
  test.each([
    'ORDER BY county_id, id',
    'ORDER BY t.county_id ASC',
    'ORDER BY county_id NULLS FIRST, id ASC NULLS LAST',
    'ORDER BY name LIMIT 10',
    'ORDER BY name FETCH FIRST 10 ROWS ONLY',
    'WHERE id = (SELECT max(id) FROM t ORDER BY 1)',
    "WHERE name = 'ORDER BY name'",
  ])('that is the key, chooses rows or is of something else is fine: %s', async (sql) =>
    expect(await problemsOf(text(sql))).toEqual([]),
  );
});

describe('services.yaml', () => {
  const problems = async (text: string) => {
    const folder = testFolder({ 'services.yaml': text });
    await folder.load();
    return folder.problems();
  };
  test('names identities with their roles and claims', async () => {
    const folder = testFolder({ 'services.yaml': SERVICES_FILE });
    const { services, reports } = await folder.load();
    expect(reports.size).toBe(0);
    expect(services.get('bay')).toEqual({
      name: 'bay',
      title: null,
      tenant: '',
      roles: [],
      claims: { county: ['1', '38'] },
    });
  });
  test.each([
    ['nightly: { roles: [root] }', /services\.yaml:1:20 nightly\.roles\[0\]: /],
    ['parent: {}', /1:1 parent: rules say "parent"/],
    ['Night Exports: {}', /named with small letters/],
    ['nightly: { claims: { county: } }', /claims\.county: this is empty/],
  ])('%s is refused', async (text, problem) =>
    expect(await problems(text)).toEqual([expect.stringMatching(problem)]),
  );
});

describe('totals and row rules', () => {
  const file = (sql: string, more = '') =>
    problemsOf(`
title: Totals
sql: |
  ${sql}
key: id
rows: [{ column: county, claim: county }]
${more}`);

  test('a total of rows that the reader does not see is refused at its place', async () => {
    const sql = 'SELECT county, id, (SELECT sum(hours) FROM shifts) AS total FROM shifts';
    const [problem = ''] = await file(sql);
    expect(problem).toMatch(/^4:30 /);
    expect(problem).toContain('what sum() gives here would be of all rows');
    expect(await file(sql, 'totals: all rows')).toEqual([]);
  });

  test('one that the rule can come before is fine', async () => {
    expect(await file('SELECT county, id, sum(hours) OVER () FROM shifts')).toEqual([]);
  });
});
