import { type Dice, createDice } from '@millrace/testkit';
import { ROLES } from '@millrace/workload-kit';
import { describe, expect, test } from 'vitest';
import { covers } from './covers.ts';
import { claimsIn, identityOf, sightOf } from './identity.ts';
import { decideRows } from './row-rules.ts';
import { decisionInWords, rowRulesInWords } from './words.ts';
import type { ReportIdentity, RowCondition, RowDecision, RowRule } from './types.ts';

const nobody: ReportIdentity = { name: 'ada', subject: 'a', service: null, roles: [], claims: {} };
const who = (more: Partial<ReportIdentity>): ReportIdentity => ({ ...nobody, ...more });
const rule = (more: Partial<RowRule>): RowRule => ({ roles: null, when: {}, see: 'all', ...more });
const byCounty: RowCondition = { column: 'county_id', claim: 'county' };
const decide = (rows: readonly RowRule[], identity: ReportIdentity) =>
  decideRows({ public: false, rows }, identity);

describe('the first rule that is about someone decides', () => {
  const rows = [rule({ roles: ['operator', 'admin'] }), rule({ see: [byCounty] })];
  test('by role, by claim, or nothing', () => {
    expect(decide(rows, who({ roles: ['viewer', 'admin'] }))).toEqual({ see: 'everything' });
    expect(decide(rows, who({ roles: ['viewer'], claims: { county: ['19', '7', '19'] } }))).toEqual(
      { see: 'some', where: [{ column: 'county_id', values: ['19', '7'] }] },
    );
    expect(decide(rows, who({ roles: ['viewer'] }))).toEqual({
      see: 'nothing',
      why: 'No row rule of the report is about you, so you would see nothing. It takes the role operator or admin or the claim county.',
    });
    expect(decide(rows, who({ claims: { county: [] } })).see).toBe('nothing');
  });

  test('a rule for a role that lacks the claim ends there: the next one was written for others', () => {
    const strict = [
      rule({ roles: ['member'], see: [byCounty] }),
      rule({ roles: ['member', 'viewer'] }),
    ];
    expect(decide(strict, who({ roles: ['member'] }))).toMatchObject({
      see: 'nothing',
      why: expect.stringContaining('"county"'),
    });
    expect(decide(strict, who({ roles: ['viewer'] }))).toEqual({ see: 'everything' });
  });

  test('a claim can be asked for a value, and a rule can show nothing', () => {
    const audited = [
      rule({ roles: ['viewer'], see: 'nothing' }),
      rule({ when: { department: ['audit', 'finance'] } }),
    ];
    expect(decide(audited, who({ claims: { department: ['audit'] } })).see).toBe('everything');
    expect(decide(audited, who({ claims: { department: ['sales'] } })).see).toBe('nothing');
    expect(decide(audited, who({ roles: ['viewer'], claims: { department: ['audit'] } })).see).toBe(
      'nothing',
    );
  });

  test('several columns hold together, some with values of the file', () => {
    const both = rule({ see: [byCounty, { column: 'status', is: ['paid', 'approved'] }] });
    expect(decide([both], who({ claims: { county: ['19'] } }))).toEqual({
      see: 'some',
      where: [
        { column: 'county_id', values: ['19'] },
        { column: 'status', values: ['approved', 'paid'] },
      ],
    });
  });

  test('a claim that objects have by themselves is none', () => {
    const odd = [rule({ see: [{ column: 'x', claim: 'constructor' }] })];
    expect(decide(odd, nobody).see).toBe('nothing');
  });

  test('a public report shows everything to anyone', () => {
    expect(decideRows({ public: true, rows: [] }, nobody)).toEqual({ see: 'everything' });
    expect(decideRows({ public: false, rows: [] }, nobody).see).toBe('nothing');
  });
});

test('rules and decisions in words', () => {
  const rows = [
    rule({ roles: ['operator', 'admin'] }),
    rule({ when: { department: ['audit'] }, see: [{ column: 'status', is: ['paid', 'open'] }] }),
    rule({ see: [byCounty] }),
    rule({ see: 'nothing' }),
  ];
  expect(rowRulesInWords({ public: false, rows })).toEqual([
    'With the role operator or admin: all rows.',
    'With the claim department audit: rows whose status is paid or open.',
    'Else, with the claim county: rows whose county_id is in that claim.',
    'Everyone else: no rows.',
  ]);
  expect(rowRulesInWords({ public: true, rows: [] })).toEqual(['Everyone: all rows.']);
  expect(decisionInWords({ see: 'everything' })).toBe('All rows.');
  const counties = Array.from({ length: 12 }, (_, index) => String(index + 1));
  expect(decisionInWords(decide(rows, who({ claims: { county: ['7', '19'] } })))).toBe(
    'Rows whose county_id is 19 or 7.',
  );
  expect(decisionInWords(decide(rows, who({ claims: { county: counties } })))).toMatch(
    /or 2 more\.$/,
  );
});

test('of a caller only the claims are kept that rules ask for', () => {
  const caller = {
    name: 'ada',
    subject: 'a-1',
    roles: ['viewer' as const],
    tenants: null,
    claims: { county: ['19'], salary: ['high'] },
    expiresAt: null,
  };
  const identity = identityOf(caller, new Set(claimsIn([rule({ see: [byCounty] })])));
  expect(identity).toEqual({
    name: 'ada',
    subject: 'a-1',
    service: null,
    roles: ['viewer'],
    claims: { county: ['19'] },
  });
  expect(sightOf(identity, new Set(['county']))).toBe(
    sightOf(
      { ...identity, name: 'eve', claims: { county: ['19'], other: ['x'] } },
      new Set(['county']),
    ),
  );
});

/*
 * Generated rules for generated people over a small world of rows. What someone is shown is compared with the rule as the
 * documentation says it, written once more and in another way: by going through the rows.
 */
const COLUMNS: [string, ...string[]] = ['county_id', 'office', 'status'];
const CLAIMS: [string, ...string[]] = ['county', 'office', 'department'];
const VALUES: [string, ...string[]] = ['1', '2', '3'];
type Row = Readonly<Record<string, string>>;
const WORLD: readonly Row[] = VALUES.flatMap((county_id) =>
  VALUES.flatMap((office) => VALUES.map((status) => ({ county_id, office, status }))),
);

function someRule(dice: Dice): RowRule {
  const condition = (): RowCondition =>
    dice.chance(0.8)
      ? { column: dice.pick(COLUMNS), claim: dice.pick(CLAIMS) }
      : { column: dice.pick(COLUMNS), is: dice.some(VALUES, 0.6) };
  return {
    roles: dice.chance(0.5) ? dice.some(ROLES, 0.4) : null,
    when: dice.chance(0.3) ? { [dice.pick(CLAIMS)]: dice.some(VALUES, 0.5) } : {},
    see: dice.chance(0.25)
      ? dice.pick(['all', 'nothing'])
      : Array.from({ length: dice.integer(1, 2) }, condition),
  };
}

function someone(dice: Dice): ReportIdentity {
  return who({
    roles: dice.some(ROLES, 0.3),
    claims: Object.fromEntries(
      dice.some(CLAIMS, 0.6).map((name) => [name, dice.some(VALUES, 0.5)]),
    ),
  });
}

function shown(decision: RowDecision): readonly Row[] {
  if (decision.see === 'everything') return WORLD;
  if (decision.see === 'nothing') return [];
  return WORLD.filter((row) =>
    decision.where.every(({ column, values }) => values.includes(row[column] ?? '')),
  );
}

/** The documentation, sentence by sentence. */
function expected(rules: readonly RowRule[], { roles, claims }: ReportIdentity): readonly Row[] {
  const [first, ...rest] = rules;
  if (first === undefined) return [];
  const has = (claim: string) => claims[claim] ?? [];
  const roleFits = first.roles?.some((role) => roles.includes(role)) ?? true;
  const claimFits = Object.entries(first.when).every(([claim, values]) =>
    has(claim).some((value) => values.includes(value)),
  );
  if (!roleFits || !claimFits) return expected(rest, { ...nobody, roles, claims });
  if (first.see === 'all') return WORLD;
  if (first.see === 'nothing') return [];
  const conditions = first.see;
  const lacks = conditions.some((each) => 'claim' in each && has(each.claim).length === 0);
  const namesPeople = first.roles !== null || Object.keys(first.when).length > 0;
  if (lacks) return namesPeople ? [] : expected(rest, { ...nobody, roles, claims });
  return WORLD.filter((row) =>
    conditions.every((each) =>
      ('claim' in each ? has(each.claim) : each.is).includes(row[each.column] ?? ''),
    ),
  );
}

describe('generated rules and people', () => {
  test('everyone is shown what the rules say, row by row', () => {
    const dice = createDice(process.env['RULES_SEED'] ?? 'rules');
    const seen = { everything: 0, some: 0, nothing: 0 };
    for (let round = 0; round < 5_000; round += 1) {
      const rules = Array.from({ length: dice.integer(0, 4) }, () => someRule(dice));
      const identity = someone(dice);
      const decision = decide(rules, identity);
      seen[decision.see] += 1;
      expect(shown(decision)).toEqual(expected(rules, identity));
    }
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(300);
  });

  test('whoever has one county and no role beyond is never shown a row of another', () => {
    const dice = createDice('counties');
    for (let round = 0; round < 5_000; round += 1) {
      // Rules that show everything name a role; all others go by the county.
      const rules = Array.from({ length: dice.integer(1, 4) }, (): RowRule =>
        dice.chance(0.4)
          ? rule({ roles: dice.some(['operator', 'admin'], 0.7) })
          : {
              ...someRule(dice),
              see: [byCounty, ...(dice.chance(0.3) ? [{ column: 'status', is: ['1'] }] : [])],
            },
      );
      const county = dice.pick(VALUES);
      const identity = who({
        roles: dice.some(['viewer', 'member'], 0.7),
        claims: { ...someone(dice).claims, county: [county] },
      });
      const decision = decide(rules, identity);
      expect(decision.see).not.toBe('everything');
      expect(shown(decision).filter((row) => row['county_id'] !== county)).toEqual([]);
    }
  });

  test('a file is given only to those who see all of its rows', () => {
    const dice = createDice('files');
    let given = 0;
    for (let round = 0; round < 5_000; round += 1) {
      const rules = Array.from({ length: dice.integer(1, 3) }, () => someRule(dice));
      const [reader, maker] = [decide(rules, someone(dice)), decide(rules, someone(dice))];
      if (!covers(reader, maker)) continue;
      given += maker.see === 'some' && reader.see === 'some' ? 1 : 0;
      const visible = shown(reader);
      expect(shown(maker).filter((row) => !visible.includes(row))).toEqual([]);
    }
    expect(given).toBeGreaterThan(20);
  });
});
