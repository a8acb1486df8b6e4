import { type Caller, jsonBody } from '../calls/call.ts';
import { SalesforceError, peer } from '../errors.ts';
import { readJson } from '../calls/read.ts';
import type {
  CollectionOptions,
  Collections,
  Method,
  RowAnswer,
  RowError,
  SalesforceRecord,
} from '../types.ts';

/** Rows that Salesforce takes in one call. */
const ROWS = 200;

interface Request {
  readonly method: Method;
  readonly path: string;
  readonly records?: readonly SalesforceRecord[];
}

export function createCollections(caller: Caller): Collections {
  /** One call after the other, so that a failure leaves a known beginning. */
  async function series<Row>(
    rows: readonly Row[],
    options: CollectionOptions,
    requestFor: (part: readonly Row[]) => Request,
  ): Promise<RowAnswer[]> {
    const { allOrNone = false, ...call } = options;
    if (allOrNone && rows.length > ROWS) {
      throw peer.invalid(
        'too_many_rows',
        `${rows.length} rows cannot be saved together or not at all: one call takes ${ROWS}.`,
      );
    }
    const answers: RowAnswer[] = [];
    for (let start = 0; start < rows.length; start += ROWS) {
      const part = rows.slice(start, start + ROWS);
      const { records, ...request } = requestFor(part);
      const body = records === undefined ? {} : { body: jsonBody({ allOrNone, records }) };
      try {
        const found = await caller.call({ ...call, ...request, ...body }, async (answer) =>
          answersOf(await readJson(answer), part.length, answer.status),
        );
        answers.push(...found);
      } catch (error) {
        if (start === 0 || !(error instanceof SalesforceError)) throw error;
        throw error.with({ outcome: 'unknown' });
      }
    }
    return answers;
  }

  const typed = (type: string, records: readonly SalesforceRecord[]): SalesforceRecord[] =>
    records.map((record) => ({ attributes: { type }, ...record }));

  return {
    create: (type, records, options = {}) =>
      series(records, options, (part) => ({
        method: 'POST',
        path: 'composite/sobjects',
        records: typed(type, part),
      })),
    update: (type, records, options = {}) =>
      series(records, options, (part) => ({
        method: 'PATCH',
        path: 'composite/sobjects',
        // Salesforce spells it so here.
        records: typed(
          type,
          part.map(({ Id: id, ...fields }) => ({ id, ...fields })),
        ),
      })),
    upsert: (type, externalId, records, options = {}) =>
      series(records, options, (part) => ({
        method: 'PATCH',
        path: `composite/sobjects/${type}/${externalId}`,
        records: typed(type, part),
      })),
    remove: (ids, options = {}) =>
      series(ids, options, (part) => ({
        method: 'DELETE',
        path: `composite/sobjects?ids=${part.map(encodeURIComponent).join(',')}&allOrNone=${options.allOrNone === true}`,
      })),
  };
}

function answersOf(body: unknown, rows: number, status: number): RowAnswer[] {
  if (Array.isArray(body) && body.length === rows) return body.map(answerOf);
  throw peer.invalidAnswer(`Salesforce did not answer for each of ${rows} rows.`, status);
}

function answerOf(entry: unknown): RowAnswer {
  const { id, success, created, errors } = (entry ?? {}) as Record<string, unknown>;
  return {
    id: typeof id === 'string' ? id : null,
    success: success === true,
    ...(typeof created === 'boolean' && { created }),
    errors: Array.isArray(errors) ? errors.map(errorOf) : [],
  };
}

function errorOf(entry: unknown): RowError {
  const { statusCode, errorCode, message, fields } = (entry ?? {}) as Record<string, unknown>;
  const code = statusCode ?? errorCode;
  return {
    statusCode: typeof code === 'string' ? code : 'UNKNOWN_EXCEPTION',
    message: typeof message === 'string' ? message : '',
    fields: Array.isArray(fields) ? fields.filter((field) => typeof field === 'string') : [],
  };
}
