import { type Contract } from '@millrace/workload-kit/contract';
import { type RouteName, contracts } from '../contracts.ts';
import { ERRORS, type ErrorCode } from '../errors.ts';
import { PROBLEM_TYPE, problemOf } from '../problem.ts';
import { CORRELATION_ID } from '../story.ts';
import type { ProblemExample, Reference, ResponseObject } from './types.ts';

const ANY: readonly ErrorCode[] = [
  'request_timeout',
  'host_not_allowed',
  'rate_limited',
  'headers_too_large',
  'internal',
];
const WITH_INPUT: readonly ErrorCode[] = ['invalid_request'];
const WITH_BODY: readonly ErrorCode[] = ['too_large', 'unsupported_media_type'];
const WITH_JSON: readonly ErrorCode[] = ['too_many_large'];
const WITH_CURSOR: readonly ErrorCode[] = ['invalid_cursor'];
const CHANGING: readonly ErrorCode[] = ['origin_not_allowed'];
const WITH_TOKEN: readonly ErrorCode[] = [
  'unauthenticated',
  'token_expired',
  'token_invalid',
  'wrong_issuer',
  'wrong_audience',
  'identity_unavailable',
];
/** Whatever needs a role is about jobs, or is written to the audit log. */
const WITH_ROLE: readonly ErrorCode[] = [
  'role_missing',
  'tenant_missing',
  'tenant_not_allowed',
  'store_unavailable',
];

/** The error codes of a route, in the order of the table. */
export function errorsOf(name: RouteName): ErrorCode[] {
  const contract: Contract = contracts[name];
  const { method, access, params, query, errors = [] } = contract;
  const body = contract.body ?? contract.upload;
  const takes = (field: string): boolean =>
    query !== undefined && 'shape' in query && Object.hasOwn(query.shape as object, field);
  const codes = new Set<string>([
    ...ANY,
    ...errors,
    ...((params ?? query ?? body) ? WITH_INPUT : []),
    ...(body === undefined ? [] : WITH_BODY),
    ...(contract.body === undefined ? [] : WITH_JSON),
    ...(takes('cursor') ? WITH_CURSOR : []),
    ...(method === 'GET' ? [] : CHANGING),
    ...(access === 'anyone' ? [] : WITH_TOKEN),
    ...(access === 'anyone' || access === 'signedIn' ? [] : WITH_ROLE),
  ]);
  return (Object.keys(ERRORS) as ErrorCode[]).filter((code) => codes.has(code));
}

/** The problems of a route by status. Codes that share a status are one response, distinguished by `code`. */
export function problemsOf(name: RouteName): Record<string, Reference> {
  return Object.fromEntries(
    byStatus(name).map(({ status, codes }) => [
      status,
      { $ref: `#/components/responses/${codes.join('.')}` },
    ]),
  );
}

function byStatus(name: RouteName): { status: number; codes: ErrorCode[] }[] {
  const all = errorsOf(name);
  const statuses = new Set(all.map((code) => ERRORS[code].status));
  return [...statuses].map((status) => ({
    status,
    codes: all.filter((code) => ERRORS[code].status === status),
  }));
}

/** Most routes refuse for the same few reasons: each set of them stands once. */
export function problemResponses(names: readonly RouteName[]): Record<string, ResponseObject> {
  return Object.fromEntries(
    names.flatMap(byStatus).map(({ codes }) => {
      const examples = Object.fromEntries(
        codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
      );
      const description = `${codes.map((code) => ERRORS[code].title).join('. ')}.`;
      const content = {
        [PROBLEM_TYPE]: { schema: { $ref: '#/components/schemas/Problem' }, examples },
      };
      return [codes.join('.'), { description, content }];
    }),
  );
}

/** The whole error table, so that each route can refer to its part of it. */
export function problemExamples(): Record<string, ProblemExample> {
  const codes = Object.keys(ERRORS) as ErrorCode[];
  return Object.fromEntries(
    codes.map((code) => {
      const { title, help } = ERRORS[code];
      const value = problemOf(code, `${title}.`, CORRELATION_ID);
      return [code, { summary: title, description: help, value }];
    }),
  );
}
