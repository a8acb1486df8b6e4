import { describe, expect, test } from 'vitest';
import { SERVICES_FILE, simpleReport, testFolder } from '../../test/catalogue.ts';
import { graphOf } from './graph.ts';
import { schedulesOf } from './schedules.ts';
import { afterInWords } from './words.ts';

const other = `title: Other
parameters:
  day: date
  county: { type: whole number, required: false }
  month: { type: month, required: false }
  states: { type: text, list: true, required: false }
sql: SELECT :day AS id, :county AS a, :month AS b, :states AS c
key: id
public: true
`;

function folderWith(after: string, more: Record<string, string> = {}) {
  return testFolder({
    'services.yaml': SERVICES_FILE,
    'other.yaml': other,
    'third.yaml': other,
    'it.yaml': simpleReport(`after: ${after}\n`),
    ...more,
  });
}

async function problemsOf(after: string): Promise<string[]> {
  const folder = folderWith(after);
  await folder.load();
  return folder.problems().map((each) => each.replace('it.yaml:', ''));
}

test.each([
  '{ report: other, as: nightly, parameters: { day: other.day } }',
  '{ report: other, as: parent, parameters: { day: yesterday } }',
  '{ report: other, as: nightly, parameters: { day: other.day }, when: { rows: { above: 0, below: 10 }, as: bay, parameters: { county: [19, null], states: open } } }',
  '{ all: [other, third], match: day, within: 3d, as: nightly, parameters: { day: third.day } }',
  '{ all: [{ report: other, match: day, when: { rows: { above: 0 } } }, { report: third, match: day }], as: parent, parameters: { day: third.day } }',
])('%s is a rule', async (after) => expect(await problemsOf(after)).toEqual([]));

test.each([
  [
    '{ report: othr, as: nightly, parameters: { day: today } }',
    /^9:18 after\.report: there is no report "othr"\. Did you mean "other"/,
  ],
  [
    '{ report: services, as: nightly, parameters: { day: today } }',
    /there is no report "services"/,
  ],
  [
    '{ report: other, as: nihgtly, parameters: { day: today } }',
    /^9:29 after\.as: .*Did you mean "nightly"/,
  ],
  [
    '{ report: other, as: useless, parameters: { day: today } }',
    /after\.as: .*useless sees nothing/,
  ],
  ['{ report: other, as: nightly }', /after\.parameters: day needs a value\. .*day: other\.day/],
  [
    '{ report: other, as: nightly, parameters: { day: other.dya } }',
    /after\.parameters\.day: other has no parameter "dya"\. Did you mean "day"/,
  ],
  ['{ report: other, as: nightly, parameters: { day: othr.day } }', /Did you mean "other\.day"/],
  [
    '{ report: other, as: nightly, parameters: { day: other.county } }',
    /a whole number cannot become a date/,
  ],
  [
    '{ report: other, as: nightly, parameters: { day: other.states } }',
    /a list of the type text cannot/,
  ],
  [
    '{ report: other, as: nightly, parameters: { day: soon } }',
    /after\.parameters\.day: write a date/,
  ],
  [
    '{ report: other, as: nightly, parameters: { day: today, to: today } }',
    /after\.parameters\.to: the report has no such parameter/,
  ],
  [
    '{ report: other, match: day, as: nightly, parameters: { day: today } }',
    /after\.match: this is for several/,
  ],
  [
    '{ report: other, all: [other, third], as: nightly, parameters: { day: today } }',
    /name one report/,
  ],
  ['{ all: [other, third], as: nightly, parameters: { day: today } }', /say by which parameter/],
  [
    '{ all: [other], match: day, as: nightly, parameters: { day: today } }',
    /name two reports or more/,
  ],
  ['{ all: [other, other], match: day, as: nightly, parameters: { day: today } }', /named twice/],
  [
    '{ all: [other, third], match: dya, as: nightly, parameters: { day: today } }',
    /after\.match: other has no parameter "dya"/,
  ],
  [
    '{ all: [other, { report: third, match: month }], match: day, as: nightly, parameters: { day: today } }',
    /a date and a month are never the same/,
  ],
  [
    '{ report: other, when: { as: nobody }, as: nightly, parameters: { day: today } }',
    /nothing would ever follow/,
  ],
  [
    '{ report: other, when: { parameters: { county: x } }, as: nightly, parameters: { day: today } }',
    /when\.parameters\.county: Write a whole number/,
  ],
  [
    '{ report: other, when: { rows: { over: 1 } }, as: nightly, parameters: { day: today } }',
    /after\.when\.rows\.over: there is no such field/,
  ],
])('%s is refused', async (after, problem) => {
  const [first] = await problemsOf(after);
  expect(first).toMatch(problem);
});

describe('cycles', () => {
  const after = (parent: string) =>
    simpleReport(`after: { report: ${parent}, as: nightly, parameters: { day: ${parent}.day } }\n`);

  test('the file that closes one is refused, with the way around; the others stay', async () => {
    const folder = testFolder({
      'services.yaml': SERVICES_FILE,
      'a.yaml': simpleReport(),
      'b.yaml': after('a'),
      'c.yaml': after('b'),
    });
    await folder.load();
    expect(folder.problems()).toEqual([]);

    folder.put('a.yaml', after('c'));
    const view = await folder.load();
    expect(folder.problems()).toEqual([
      'a.yaml:9:1 after: the reports would follow from each other without end: a, then b, then c, then a. Remove one of these rules.',
    ]);
    expect([...view.reports.keys()]).toEqual(['a', 'b', 'c']);
    expect(view.reports.get('a')?.value.after).toEqual([]);
    expect(view.troubled).toMatchObject([{ name: 'a', inForce: 'older' }]);

    // Whoever opens the circle elsewhere lets the file come into force as it is.
    folder.put('c.yaml', simpleReport());
    expect((await folder.load()).reports.get('a')?.value.after).toHaveLength(1);
    expect(folder.problems()).toEqual([]);
  });

  test('at the first reading the last file by name is refused, and the others are in force', async () => {
    const folder = testFolder({
      'services.yaml': SERVICES_FILE,
      'a.yaml': after('b'),
      'b.yaml': after('a'),
      'self.yaml': after('self'),
    });
    expect([...(await folder.load()).reports.keys()]).toEqual(['a']);
    expect(folder.problems()).toEqual([
      expect.stringMatching(/^b\.yaml:9:1 after: .*: b, then a, then b\./),
      expect.stringMatching(/^self\.yaml:9:1 after: .*: self, then self\./),
    ]);
  });
});

test('a parent that goes leaves the child in force, and the problem is shown', async () => {
  const folder = folderWith('{ report: other, as: nightly, parameters: { day: other.day } }');
  await folder.load();
  folder.remove('other.yaml');
  const view = await folder.load();
  expect([...view.reports.keys()]).toEqual(['it', 'third']);
  expect(folder.problems()).toEqual([expect.stringMatching(/there is no report "other"/)]);
  expect(graphOf(view).nodes.map(({ report, inForce }) => [report, inForce])).toEqual([
    ['it', true],
    ['other', false],
    ['third', true],
  ]);
});

test('services.yaml that breaks leaves the identities as they were; one that never was good stops schedules alone', async () => {
  const scheduled = simpleReport(
    'schedule: { cron: 0 6 * * *, as: nightly, parameters: { day: yesterday } }\n',
  );
  const folder = testFolder({ 'services.yaml': SERVICES_FILE, 'it.yaml': scheduled });
  expect(schedulesOf(await folder.load())).toHaveLength(1);
  folder.put('services.yaml', 'nightly: [');
  expect(schedulesOf(await folder.load())).toHaveLength(1);

  const broken = testFolder({ 'services.yaml': 'nightly: [', 'it.yaml': scheduled });
  const view = await broken.load();
  expect([...view.reports.keys()]).toEqual(['it']);
  expect(schedulesOf(view)).toEqual([]);
  expect(broken.problems()).toEqual([expect.stringMatching(/^services\.yaml:/)]);
});

test('the graph names each edge, those that wait for each other by the same rule', async () => {
  const folder = folderWith(`
  - { all: [other, third], match: day, as: nightly, parameters: { day: third.day }, when: { rows: { above: 0 }, as: bay } }
  - { report: other, as: parent, parameters: { day: today } }`);
  const view = await folder.load();
  const graph = graphOf(view);
  expect(view.reports.get('it')?.value.after.map(afterInWords)).toEqual([
    'After other (more than 0 rows and run as bay) and third (more than 0 rows and run as bay), of the same day; as nightly.',
    'After other; for whom that was for.',
  ]);
  expect(folder.problems()).toEqual([]);
  const when = 'more than 0 rows and run as bay';
  expect(graph.edges).toEqual([
    { from: 'other', to: 'it', rule: 0, kind: 'all', match: 'day', as: 'nightly', when },
    { from: 'third', to: 'it', rule: 0, kind: 'all', match: 'day', as: 'nightly', when },
    { from: 'other', to: 'it', rule: 1, kind: 'one', match: null, as: 'parent', when: null },
  ]);
});
