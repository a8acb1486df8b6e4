import { type Caller, jsonBody } from '../calls/call.ts';
import { refusal } from '../calls/classify.ts';
import { type SalesforceError, peer } from '../errors.ts';
import { readJson } from '../calls/read.ts';
import type { CallOptions, Salesforce, SubResponse } from '../types.ts';

/**
 * An address and its headers may have 16,384 bytes. Tokens and our headers take up to 4,000, so a longer query goes into
 * the body of a composite request, which costs the same one call.
 */
const LONGEST_ADDRESS = 12_000;
/** What Salesforce takes of SOQL. */
const LONGEST_SOQL = 100_000;

interface Page {
  readonly records: unknown[];
  readonly next: string | null;
}

export function createQueries(
  caller: Caller,
  apiVersion: string,
): Pick<Salesforce, 'query' | 'pages'> {
  async function* pages<T>(
    soql: string,
    options: CallOptions & { readonly pageSize?: number } = {},
  ): AsyncGenerator<T[], void, undefined> {
    const { pageSize, ...call } = options;
    const headers: Record<string, string> =
      pageSize === undefined ? {} : { 'sforce-query-options': `batchSize=${clamped(pageSize)}` };
    let page = await firstPage(soql, headers, call);
    for (;;) {
      yield page.records as T[];
      if (page.next === null) return;
      page = await get(page.next, headers, call);
    }
  }

  async function query<T>(
    soql: string,
    options: CallOptions & { readonly most?: number } = {},
  ): Promise<T[]> {
    const { most = Number.POSITIVE_INFINITY, ...call } = options;
    const found: T[] = [];
    const pageSize = most < 2_000 ? { pageSize: most } : {};
    for await (const records of pages<T>(soql, { ...call, ...pageSize })) {
      for (const record of records) found.push(record);
      if (found.length >= most) return found.slice(0, most);
    }
    return found;
  }

  function firstPage(
    soql: string,
    headers: Readonly<Record<string, string>>,
    options: CallOptions,
  ): Promise<Page> {
    if (soql.length > LONGEST_SOQL) {
      throw peer.invalid(
        'query_too_long',
        `The query has ${soql.length} characters; Salesforce takes ${LONGEST_SOQL}. Ask in parts.`,
      );
    }
    const path = `query?q=${encodeURIComponent(soql)}`;
    return path.length <= LONGEST_ADDRESS
      ? get(path, headers, options)
      : getByComposite(path, headers, options);
  }

  function get(
    path: string,
    headers: Readonly<Record<string, string>>,
    options: CallOptions,
  ): Promise<Page> {
    return caller.call({ ...options, method: 'GET', path, headers }, async (answer) =>
      pageOf(await readJson(answer)),
    );
  }

  function getByComposite(
    path: string,
    headers: Readonly<Record<string, string>>,
    options: CallOptions,
  ): Promise<Page> {
    const subrequest = {
      method: 'GET',
      url: `/services/data/v${apiVersion}/${path}`,
      referenceId: 'query',
      httpHeaders: headers,
    };
    const body = jsonBody({ allOrNone: false, compositeRequest: [subrequest] });
    return caller.call(
      { ...options, method: 'POST', path: 'composite', body, repeatable: true },
      async (answer) => {
        const whole = (await readJson(answer)) as {
          compositeResponse?: SubResponse[];
        } | null;
        const [response] = whole?.compositeResponse ?? [];
        if (response === undefined) throw notAPage();
        if (response.httpStatusCode >= 300) throw refusal(response.httpStatusCode, response.body);
        return pageOf(response.body);
      },
    );
  }

  return { query, pages };
}

function pageOf(body: unknown): Page {
  const { records, done, nextRecordsUrl } = (body ?? {}) as Record<string, unknown>;
  if (!Array.isArray(records)) throw notAPage();
  if (done !== false) return { records, next: null };
  if (typeof nextRecordsUrl !== 'string' || !nextRecordsUrl.startsWith('/services/data/')) {
    throw notAPage();
  }
  return { records, next: nextRecordsUrl };
}

function notAPage(): SalesforceError {
  return peer.invalidAnswer('Salesforce answered a query with what is no page of records.');
}

function clamped(pageSize: number): number {
  return Math.min(2_000, Math.max(200, Math.trunc(pageSize)));
}
