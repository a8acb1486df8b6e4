import { type Answer, json } from '@millrace/simulator-kit';

const DOCUMENTATION =
  'https://developer.salesforce.com/docs/atlas.en-us.mc-apis.meta/mc-apis/error-handling.htm';

/** As the REST API writes its refusals. */
export function refused(
  status: number,
  errorcode: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return json(status, { documentation: DOCUMENTATION, errorcode, message }, headers);
}

export const notFound = (): Answer => refused(404, 404, 'Not Found');

export const notAuthorized = (): Answer => refused(401, 0, 'Not Authorized');

/** The codes of "Handle Errors in REST API": Insufficient Privileges, and those of Validation. */
export const forbidden = (): Answer =>
  refused(403, 20_002, 'Insufficient privileges to access this resource.');

export const missingField = (message: string): Answer => refused(400, 10_002, message);

export const unreadableBody = (): Answer => refused(400, 10_004, 'The body is not a JSON object.');

export const invalidValue = (message: string): Answer => refused(400, 10_005, message);

export const unavailable = (message: string): Answer => refused(503, 503, message);

/** "Rate Limiting Errors" has both bodies, and a Retry-After of 5 s with the first. */
export function throttled(seconds: number): Answer {
  return json(
    429,
    {
      message: 'Rate limit exceeded',
      errorcode: 50_100,
      retryAfter: seconds,
      documentation: DOCUMENTATION,
    },
    { 'retry-after': String(seconds) },
  );
}

export const blocked = (): Answer => refused(429, 50_200, 'Your requests are temporarily blocked.');
