import { TYPED_MACROS, UNTYPED_MACROS } from './typed-macros.ts';

/**
 * T-SQL's functions where DuckDB has none, or means something else by the name. They take texts and moments that are such already:
 * the translation calls `mc_text` and `mc_datetime` (typed-macros.ts) around their arguments.
 */
const UNITS_OF_TIME = [
  'year',
  'quarter',
  'month',
  'week',
  'day',
  'hour',
  'minute',
  'second',
  'millisecond',
];

const INTERVALS: Readonly<Record<string, string>> = {
  year: 'to_years(CAST(n AS INTEGER))',
  quarter: 'to_months(CAST(n AS INTEGER) * 3)',
  month: 'to_months(CAST(n AS INTEGER))',
  week: 'to_days(CAST(n AS INTEGER) * 7)',
  day: 'to_days(CAST(n AS INTEGER))',
  dayofyear: 'to_days(CAST(n AS INTEGER))',
  weekday: 'to_days(CAST(n AS INTEGER))',
  hour: 'to_hours(CAST(n AS BIGINT))',
  minute: 'to_minutes(CAST(n AS BIGINT))',
  second: 'to_seconds(CAST(n AS BIGINT))',
  millisecond: 'to_milliseconds(CAST(n AS BIGINT))',
};

/** The first day of the week is Sunday, and 1: DATEFIRST 7. */
const PARTS: Readonly<Record<string, string>> = {
  year: 'year(d)',
  quarter: 'quarter(d)',
  month: 'month(d)',
  dayofyear: 'dayofyear(d)',
  day: 'day(d)',
  week: "(dayofyear(d) + dayofweek(date_trunc('year', d)) - 1) // 7 + 1",
  isoweek: 'weekofyear(d)',
  weekday: 'dayofweek(d) + 1',
  hour: 'hour(d)',
  minute: 'minute(d)',
  second: 'second(d)',
  millisecond: 'millisecond(d) % 1000',
};

const BASE: readonly string[] = [
  `mc_day(a) AS CAST(a AS DATE)`,
  `mc_utc(a) AS a + INTERVAL 6 HOUR`,
  `mc_eomonth(d) AS last_day(d), (d, n) AS last_day(d + to_months(CAST(n AS INTEGER)))`,
  `mc_len(a) AS length(rtrim(a, ' '))`,
  `mc_ltrim(a) AS ltrim(a, ' ')`,
  `mc_rtrim(a) AS rtrim(a, ' ')`,
  `mc_left(a, n) AS CASE WHEN n < 0 THEN error('Invalid length parameter passed to the LEFT or SUBSTRING function.') ELSE left(a, n) END`,
  `mc_right(a, n) AS CASE WHEN n < 0 THEN error('Invalid length parameter passed to the RIGHT function.') ELSE right(a, n) END`,
  `mc_substring(a, s, n) AS CASE WHEN n < 0 THEN error('Invalid length parameter passed to the LEFT or SUBSTRING function.')
    WHEN s + n <= 1 THEN CASE WHEN a IS NULL THEN NULL ELSE '' END
    ELSE substring(a, greatest(s, 1), CASE WHEN s < 1 THEN n + s - 1 ELSE n END) END`,
  `mc_charindex(f, a) AS strpos(lower(a), lower(f)),
    (f, a, s) AS CASE WHEN strpos(substring(lower(a), s), lower(f)) = 0 THEN 0 ELSE strpos(substring(lower(a), s), lower(f)) + s - 1 END`,
  `mc_replace(a, f, t) AS CASE WHEN f = '' THEN a ELSE regexp_replace(a, regexp_escape(f), replace(t, chr(92), chr(92) || chr(92)), 'gi') END`,
  `mc_stuff(a, s, n, t) AS CASE WHEN s < 1 OR n < 0 OR s > length(a) THEN NULL ELSE left(a, s - 1) || coalesce(t, '') || substring(a, s + n) END`,
  `mc_replicate(a, n) AS CASE WHEN n < 0 THEN NULL ELSE repeat(a, CAST(n AS BIGINT)) END`,
  `mc_newid() AS upper(CAST(uuid() AS VARCHAR))`,
  `mc_try_guid(a) AS CASE WHEN regexp_full_match(a, '(?i)[{]?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}[}]?') THEN upper(trim(a, '{}')) END`,
  `mc_guid(a) AS CASE WHEN a IS NOT NULL AND mc_try_guid(a) IS NULL THEN error('Conversion failed when converting from a character string to uniqueidentifier.') ELSE mc_try_guid(a) END`,
  `mc_md5(a) AS unhex(md5(a))`,
  `mc_sha1(a) AS unhex(sha1(a))`,
  `mc_sha256(a) AS unhex(sha256(a))`,
  `mc_like(a, p) AS CASE WHEN contains(p, '[') THEN error('A pattern with [ that is no literal is not something that this simulator can run.') ELSE a ILIKE p END`,
  `mc_isnumeric(a) AS CASE WHEN TRY_CAST(a AS DOUBLE) IS NULL THEN 0 ELSE 1 END`,
  `mc_round(a, n) AS round(a, n), (a, n, f) AS CASE WHEN f = 0 THEN round(a, n) ELSE trunc(a * power(10, n)) / power(10, n) END`,
  `mc_square(a) AS CAST(a AS DOUBLE) * a`,
  `mc_quotename(a) AS '[' || replace(a, ']', ']]') || ']'`,
  `mc_checksum(a) AS CAST(CAST(hash(a) % 4294967295 AS BIGINT) - 2147483647 AS INTEGER)`,
  `mc_isjson(a) AS CASE WHEN json_valid(a) THEN 1 ELSE 0 END`,
  `mc_datetimefromparts(y, mo, d, h, mi, s, ms) AS make_timestamp(y, mo, d, h, mi, s + ms / 1000.0)`,
  `mc_patindex(a, r) AS CASE WHEN a IS NULL THEN NULL WHEN regexp_matches(a, r) THEN length(regexp_extract(a, r, 1)) + 1 ELSE 0 END`,
  `mc_xml(a) AS replace(replace(replace(a, '&', '&amp;'), '<', '&lt;'), '>', '&gt;')`,
  `mc_format_n(a, n) AS format('{:,.' || n || 'f}', a)`,
  `mc_format_f(a, n) AS format('{:.' || n || 'f}', a)`,
  `mc_format_p(a, n) AS format('{:,.' || n || 'f} %', a * 100)`,
  `mc_format_c(a, n) AS CASE WHEN a < 0 THEN '($' || format('{:,.' || n || 'f}', -a) || ')' ELSE '$' || format('{:,.' || n || 'f}', a) END`,
  `mc_digits(a) AS CAST(CAST(abs(a) AS BIGINT) AS VARCHAR)`,
  // Filled up with zeros, on the left and on the right.
  `mc_fill(t, n) AS lpad(t, CAST(greatest(n, length(t)) AS INTEGER), '0')`,
  `mc_fill_right(t, n) AS rpad(t, CAST(greatest(n, length(t)) AS INTEGER), '0')`,
  `mc_sign(a) AS CASE WHEN a < 0 THEN '-' ELSE '' END`,
  `mc_format_d(a, n) AS mc_sign(a) || mc_fill(mc_digits(a), n)`,
  // z: places before the point that are always there; n: after it.
  `mc_whole(t, z) AS CASE WHEN z = 0 AND t = '0' THEN '' ELSE mc_fill(t, z) END`,
  `mc_fraction(t, n) AS CASE WHEN n = 0 AND t = '' THEN '' ELSE '.' || mc_fill_right(t, n) END`,
  `mc_format_places(a, z, n, f) AS mc_sign(a) || mc_whole(split_part(f, '.', 1), z) || mc_fraction(rtrim(split_part(f, '.', 2), '0'), n)`,
  `mc_format_plain(a, z, n, m) AS mc_format_places(a, z, n, format('{:.' || m || 'f}', abs(a)))`,
  `mc_format_grouped(a, z, n, m) AS mc_format_places(a, z, n, format('{:,.' || m || 'f}', abs(a)))`,
  `mc_places(d, r, n) AS CASE WHEN length(d) > r THEN right(left(d, length(d) - r), n) ELSE '' END`,
  `mc_divisor(a) AS CASE WHEN a = 0 THEN error('Divide by zero error encountered.') ELSE a END`,
];

const DATES: readonly string[] = [
  ...Object.entries(INTERVALS).map(
    ([unit, interval]) => `mc_dateadd_${unit}(n, d) AS d + ${interval}`,
  ),
  ...UNITS_OF_TIME.filter((unit) => unit !== 'week').map(
    (unit) => `mc_datediff_${unit}(a, b) AS CAST(date_diff('${unit}', a, b) AS INTEGER)`,
  ),
  // Weeks begin on Sunday, whatever DATEFIRST is; 7 January 1900 was one.
  `mc_datediff_week(a, b) AS CAST(floor(date_diff('day', TIMESTAMP '1900-01-07', b) / 7.0) - floor(date_diff('day', TIMESTAMP '1900-01-07', a) / 7.0) AS INTEGER)`,
  `mc_datediff_dayofyear(a, b) AS mc_datediff_day(a, b)`,
  `mc_datediff_weekday(a, b) AS mc_datediff_day(a, b)`,
  ...Object.entries(PARTS).map(([unit, part]) => `mc_datepart_${unit}(d) AS ${part}`),
  ...Object.keys(PARTS)
    .filter((unit) => unit !== 'month' && unit !== 'weekday')
    .map((unit) => `mc_datename_${unit}(d) AS CAST(mc_datepart_${unit}(d) AS VARCHAR)`),
  'mc_datename_month(d) AS monthname(d)',
  'mc_datename_weekday(d) AS dayname(d)',
];

export const MACROS: readonly string[] = [
  ...TYPED_MACROS,
  ...UNTYPED_MACROS,
  ...BASE,
  ...DATES,
].map((macro) => `CREATE MACRO ${macro}`);
