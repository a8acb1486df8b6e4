import { randomUUID } from 'node:crypto';
import { type Answer, json } from '@millrace/simulator-kit';
import type { Cloud } from '../cloud.ts';
import { type DataExtension, dataExtensionByKey, type Row, type Unit } from '../data/account.ts';
import { rowsetTime, utcTime } from '../data/dates.ts';
import { type Field, fieldNamed } from '../data/fields.ts';
import { invalidValue, notFound } from './answers.ts';

interface Rowset {
  readonly mid: string;
  readonly dataExtension: DataExtension;
  /** As they were when the first page was asked for. */
  readonly rows: readonly Row[];
  readonly pageSize: number;
  readonly expiresAt: number;
}

/** 2,500: "page size up to 2500" is as far as users get. */
const LARGEST_PAGE = 2500;
const USUAL_PAGE = 50;
/** How long a request token lasts is not documented. */
const TOKEN_MS = 3_600_000;

interface Rowsets {
  byKey(unit: Unit, key: string, search: URLSearchParams): Answer;
  byToken(unit: Unit, token: string, search: URLSearchParams): Answer;
}

/** `GET /data/v1/customobjectdata/key/{key}/rowset` and the pages that its token leads to. */
export function createRowsets(cloud: Cloud): Rowsets {
  const rowsets = new Map<string, Rowset>();

  function kept(rowset: Rowset): string {
    for (const [token, { expiresAt }] of rowsets) {
      if (expiresAt <= cloud.clock.now()) rowsets.delete(token);
    }
    const token = randomUUID();
    rowsets.set(token, rowset);
    return token;
  }

  return {
    byKey(unit, key, search) {
      const dataExtension = dataExtensionByKey(unit, key, cloud.clock.now());
      if (dataExtension === null) return notFound();
      const asked = numbers(search);
      if (asked === null) return invalidValue('$page and $pageSize must be whole numbers from 1.');
      try {
        const rows = chosen(dataExtension, search);
        const pageSize = Math.min(asked.pageSize ?? USUAL_PAGE, LARGEST_PAGE);
        const expiresAt = cloud.clock.now() + TOKEN_MS;
        const rowset = { mid: unit.mid, dataExtension, rows, pageSize, expiresAt };
        return page(kept(rowset), rowset, asked.page ?? 1);
      } catch (thrown) {
        if (thrown instanceof InvalidFilter) return invalidValue(thrown.message);
        throw thrown;
      }
    },
    byToken(unit, token, search) {
      const rowset = rowsets.get(token);
      const asked = numbers(search);
      const isOver = rowset === undefined || rowset.expiresAt <= cloud.clock.now();
      if (isOver || rowset.mid !== unit.mid) return notFound();
      if (asked === null) return invalidValue('$page must be a whole number from 1.');
      return page(token, rowset, asked.page ?? 1);
    },
  };
}

/** `items` is left out where there are no rows at all. */
function page(token: string, rowset: Rowset, number: number): Answer {
  const { dataExtension, rows, pageSize, expiresAt } = rowset;
  const from = (number - 1) * pageSize;
  const shown = rows.slice(from, from + pageSize);
  // Without the prefix /data, as Marketing Cloud writes it.
  const link = (to: number): string => `/v1/customobjectdata/token/${token}/rowset?$page=${to}`;
  return json(200, {
    links: {
      self: link(number),
      ...(from + pageSize < rows.length && { next: link(number + 1) }),
    },
    requestToken: token,
    tokenExpireDateUtc: utcTime(expiresAt),
    customObjectId: dataExtension.objectId,
    customObjectKey: dataExtension.customerKey,
    pageSize,
    page: number,
    count: rows.length,
    top: 0,
    ...(shown.length > 0 && {
      items: shown.map((row) => itemOf(dataExtension, row)),
    }),
  });
}

/** Names in lower case, values as text; `keys` is empty where there is no primary key. */
function itemOf({ fields }: DataExtension, row: Row): Record<string, unknown> {
  const keys: Record<string, string> = {};
  const values: Record<string, string> = {};
  for (const field of fields) {
    (field.isPrimaryKey ? keys : values)[field.name.toLowerCase()] = shownValue(field, row);
  }
  return { keys, values };
}

/** An empty value is an empty text. */
function shownValue({ name, type }: Field, row: Row): string {
  const value = row[name] ?? '';
  return type === 'Date' ? rowsetTime(value) : value;
}

function chosen({ fields, rows }: DataExtension, search: URLSearchParams): readonly Row[] {
  const filter = search.get('$filter');
  const order = search.get('$orderBy') ?? search.get('$orderby');
  const found = filter === null ? rows : rows.filter(compileRowFilter(filter, fields));
  if (order === null) return found;
  const [, name = '', direction = 'asc'] = /^\s*([^\s]+)(?:\s+(asc|desc))?\s*$/i.exec(order) ?? [];
  const field = fieldNamed(fields, name);
  if (field === undefined) throw new InvalidFilter(`$orderBy names the unknown field ${order}.`);
  const sign = direction.toLowerCase() === 'desc' ? -1 : 1;
  const isNumber = field.type === 'Number' || field.type === 'Decimal';
  const compare = (a: string, b: string): number =>
    isNumber ? Number(a) - Number(b) : a.toLowerCase() < b.toLowerCase() ? -1 : 1;
  return found.toSorted((a, b) => sign * compare(a[field.name] ?? '', b[field.name] ?? ''));
}

/** Null: one of them is no whole number from 1. */
function numbers(search: URLSearchParams): { page?: number; pageSize?: number } | null {
  const asked: { page?: number; pageSize?: number } = {};
  for (const [name, text] of search) {
    const member = { $page: 'page', $pagesize: 'pageSize' }[name.toLowerCase()];
    if (member !== 'page' && member !== 'pageSize') continue;
    if (!/^[1-9]\d{0,8}$/.test(text)) return null;
    asked[member] = Number(text);
  }
  return asked;
}

/** `$filter` is not what it can be. */
class InvalidFilter extends Error {
  override readonly name = 'InvalidFilter';
}

const COMPARISON =
  /^\s*([A-Za-z0-9_.-]+)\s+(eq|neq|gt|gte|lt|lte|like)\s+(?:'((?:[^']|'')*)'|(\S+))\s*$/i;

/** Comparisons, joined by `and`: `country eq 'DE' and orders gt 3`. */
function compileRowFilter(text: string, fields: readonly Field[]): (row: Row) => boolean {
  const parts = text.split(/\s+and\s+(?=(?:[^']*'[^']*')*[^']*$)/i).map((part) => {
    const [, name = '', operator = '', quoted, bare] = COMPARISON.exec(part) ?? [];
    const field = fieldNamed(fields, name);
    if (field === undefined) throw new InvalidFilter(`$filter cannot be read: ${part.trim()}`);
    const wanted = quoted?.replaceAll("''", "'") ?? bare ?? '';
    return comparison(field, operator.toLowerCase(), wanted);
  });
  return (row) => parts.every((part) => part(row));
}

function comparison(field: Field, operator: string, wanted: string): (row: Row) => boolean {
  const isNumber = field.type === 'Number' || field.type === 'Decimal';
  const order = (value: string): number => {
    if (isNumber) return Number(value) - Number(wanted);
    const [a, b] = [value.toLowerCase(), wanted.toLowerCase()];
    return a === b ? 0 : a < b ? -1 : 1;
  };
  const holds: Readonly<Record<string, (value: string) => boolean>> = {
    eq: (value) => order(value) === 0,
    neq: (value) => order(value) !== 0,
    gt: (value) => order(value) > 0,
    gte: (value) => order(value) >= 0,
    lt: (value) => order(value) < 0,
    lte: (value) => order(value) <= 0,
    like: (value) => value.toLowerCase().includes(wanted.replaceAll('%', '').toLowerCase()),
  };
  return (row) => {
    const value = row[field.name] ?? null;
    return value !== null && (holds[operator]?.(value) ?? false);
  };
}
