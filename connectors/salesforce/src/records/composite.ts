import { type Caller, jsonBody } from '../calls/call.ts';
import { peer } from '../errors.ts';
import { readJson } from '../calls/read.ts';
import type { Salesforce, SubResponse, Subrequest } from '../types.ts';

const MOST_SUBREQUESTS = 25;
/** Of those, queries and collections. */
const MOST_LARGE = 5;

export function createComposite(caller: Caller, apiVersion: string): Salesforce['composite'] {
  return async (subrequests, { allOrNone, ...options }) => {
    if (subrequests.length === 0) return [];
    refuseTooMany(subrequests);
    const body = jsonBody({
      allOrNone,
      // Otherwise Salesforce may reorder and merge them.
      collateSubrequests: false,
      compositeRequest: subrequests.map((subrequest) => absolute(subrequest, apiVersion)),
    });
    return caller.call({ ...options, method: 'POST', path: 'composite', body }, async (answer) => {
      const whole = await readJson(answer);
      const responses = responsesOf(
        (whole as Record<string, unknown> | null)?.['compositeResponse'],
      );
      if (responses.length === subrequests.length) return responses;
      throw peer.invalidAnswer(
        'Salesforce did not answer each part of a composite request.',
        answer.status,
      );
    });
  };
}

/** As Salesforce wants it in a body: an address from the root. */
export function absolute(subrequest: Subrequest, apiVersion: string): Subrequest {
  const { url } = subrequest;
  return url.startsWith('/')
    ? subrequest
    : { ...subrequest, url: `/services/data/v${apiVersion}/${url}` };
}

export function responsesOf(list: unknown): SubResponse[] {
  if (!Array.isArray(list)) return [];
  return list.map((entry) => {
    const { referenceId, httpStatusCode, body, httpHeaders } = (entry ??
      {}) as Partial<SubResponse>;
    return {
      referenceId: referenceId ?? '',
      httpStatusCode: httpStatusCode ?? 0,
      body: body ?? null,
      httpHeaders: httpHeaders ?? {},
    };
  });
}

function refuseTooMany(subrequests: readonly Subrequest[]): void {
  const large = subrequests.filter(({ url }) => /(^|\/)(query|composite\/sobjects)\b/.test(url));
  const tooMany = subrequests.length > MOST_SUBREQUESTS || large.length > MOST_LARGE;
  if (!tooMany) return;
  throw peer.invalid(
    'too_many_subrequests',
    `A composite request takes ${MOST_SUBREQUESTS} parts, ${MOST_LARGE} of them queries or collections. This one has ${subrequests.length} and ${large.length}.`,
  );
}
