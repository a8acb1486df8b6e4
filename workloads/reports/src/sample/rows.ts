import { type Expressions, literal } from './expressions.ts';
import { COMMENTS, COUNTIES, FIRST_NAMES, LANGUAGES, LAST_NAMES, NOTES } from './words.ts';

/** What all rows are made from: each is computed from its number. */
export interface World extends Expressions {
  /** ISO date. */
  readonly today: string;
  readonly days: number;
  readonly providers: number;
  readonly recipients: number;
}

export interface Range {
  readonly from: number;
  readonly to: number;
}

const numbers = ({ from, to }: Range): string => `generate_series(${from}::bigint, ${to}) AS n`;

export function countiesSql(): string {
  const values = COUNTIES.map(
    ([name, region], index) => `(${index + 1}, ${literal(name)}, ${literal(region)})`,
  );
  return `INSERT INTO counties (id, name, region) VALUES ${values.join(', ')}`;
}

export function providersSql(world: World, range: Range): string {
  const { pick, oneOf, seldom } = world;
  return `
INSERT INTO providers (id, county_id, name, email, phone, status, hired_on, hourly_rate, note)
SELECT n, ${countyOf(world, 'n')}, ${nameOf(world, 'n', 20)},
       'provider' || n || '@example.com',
       CASE ${pick('n', 23, 8)} WHEN 0 THEN NULL WHEN 1 THEN '+1 ' ELSE '' END
         || '(' || (ARRAY['209', '310', '415', '530', '619', '916'])[1 + ${pick('n', 24, 6)}] || ') 555-01'
         || lpad((n % 100)::text, 2, '0'),
       ${oneOf('n', 25, [...Array<string>(18).fill('active'), 'on leave', 'ended'])},
       date ${literal(world.today)} - ${world.days} - ${pick('n', 26, 5_000)},
       16.50 + ${pick('n', 27, 20)} * 0.25,
       ${seldom('n', 28, 6, NOTES)}
  FROM ${numbers(range)}`;
}

export function recipientsSql(world: World, range: Range): string {
  const { pick, oneOf } = world;
  return `
INSERT INTO recipients (id, county_id, case_number, name, born_on, language, authorized_hours)
SELECT n, county_id, to_char(county_id, 'FM00') || '-' || to_char(n, 'FM0000000'),
       ${nameOf(world, 'n', 40)},
       date ${literal(world.today)} - 7000 - ${pick('n', 43, 28_000)},
       ${oneOf('n', 44, LANGUAGES)},
       20 + ${pick('n', 45, 1_052)} / 4.0
  FROM (SELECT n, ${countyOf(world, `(n - 1) % ${world.providers} + 1`)} AS county_id
          FROM ${numbers(range)} OFFSET 0) AS numbered`;
}

/** The order in which they are put in has nothing to do with county, provider or date, as in a table that people fill. */
export function timesheetsSql(world: World, range: Range): string {
  const { pick, oneOf, seldom } = world;
  const second = world.recipients - world.providers;
  const moment = (days: string, purpose: number): string =>
    `(work_date + ${days})::timestamp + ${pick('n', purpose, 86_400_000)} * interval '1 millisecond'
         + ${pick('n', purpose + 1, 1_000)} * interval '1 microsecond'`;
  return `
INSERT INTO timesheets (id, county_id, provider_id, recipient_id, work_date, hours, status, entered_by,
                        submitted_at, approved_at, comment)
SELECT n, ${countyOf(world, 'provider_id')}, provider_id,
       provider_id + CASE WHEN provider_id <= ${second} THEN ${pick('n', 62, 2)} * ${world.providers} ELSE 0 END,
       work_date, ${pick('n', 63, 29)} / 4.0 + 1, status,
       ${oneOf('n', 64, ['web', 'web', 'web', 'phone', 'phone', 'paper'])},
       CASE WHEN status <> 'draft' THEN (${moment('1', 65)}) AT TIME ZONE 'UTC' END,
       CASE WHEN status IN ('approved', 'paid') THEN (${moment('4', 67)}) AT TIME ZONE 'UTC' END,
       ${seldom('n', 69, 12, COMMENTS)}
  FROM (
    SELECT n, provider_id, date ${literal(world.today)} - age AS work_date,
           CASE WHEN age < 4 AND luck < 60 THEN 'draft'
                WHEN luck < 3 THEN 'rejected'
                WHEN age > 40 THEN 'paid'
                WHEN age > 14 THEN 'approved'
                ELSE 'submitted' END AS status
      FROM (
        SELECT n, 1 + ${pick('n', 60, world.providers)} AS provider_id, 1 + ${pick('n', 61, world.days)} AS age,
               ${pick('n', 71, 100)} AS luck
          FROM ${numbers(range)}
        OFFSET 0) AS drawn
    OFFSET 0) AS sheet`;
}

/** By half months, of what was paid; the range is of providers. */
export function paymentsSql({ pick, oneOf }: World, { from, to }: Range): string {
  return `
INSERT INTO payments (id, county_id, provider_id, period_start, period_end, paid_on, timesheets, hours, gross,
                      deductions, net, method, reference)
SELECT id, county_id, provider_id, period_start, period_end, period_end + 10, timesheets, hours, gross,
       round(gross * 0.0765, 2), gross - round(gross * 0.0765, 2),
       ${oneOf('id', 80, ['direct deposit', 'direct deposit', 'direct deposit', 'check', 'pay card'])},
       'WR-' || to_char(period_end, 'YYMMDD') || '-' || lpad(${pick('id', 81, 1_000_000)}::text, 6, '0')
  FROM (
    SELECT p.id * 100000::bigint + (first - date '2000-01-01') + half AS id, p.county_id, p.id AS provider_id,
           first + half * 15 AS period_start,
           CASE half WHEN 0 THEN first + 14 ELSE (first + interval '1 month')::date - 1 END AS period_end,
           count(*) AS timesheets, sum(hours) AS hours, round(sum(hours) * p.hourly_rate, 2) AS gross
      FROM (
        SELECT provider_id, hours, date_trunc('month', work_date::timestamp)::date AS first,
               CASE WHEN date_part('day', work_date) > 15 THEN 1 ELSE 0 END AS half
          FROM timesheets WHERE provider_id BETWEEN ${from} AND ${to} AND status = 'paid') AS sheet
      JOIN providers p ON p.id = provider_id
     GROUP BY p.id, p.county_id, p.hourly_rate, first, half) AS period`;
}

/** By its inhabitants: a quarter of all are in Los Angeles, one in Alpine among 40,000. */
function countyOf({ pick }: World, n: string): string {
  let sum = 0;
  const bounds = COUNTIES.map(([, , thousands]) => (sum += thousands));
  return `1 + width_bucket(${pick(n, 10, sum)}, ARRAY[${bounds.slice(0, -1).join(',')}])`;
}

function nameOf({ oneOf }: World, n: string, purpose: number): string {
  return `${oneOf(n, purpose, FIRST_NAMES)} || ' ' || ${oneOf(n, purpose + 1, LAST_NAMES)}`;
}
