import type { Answer } from './answer.ts';
import type { FaultMember } from './fault-rules.ts';

/**
 * The titles of the page of a gateway or a proxy: the statuses of RFC 9110, "HTTP Semantics", with which one answers in
 * the place of the server behind it, and 420, with which Salesforce's own edge does ("Status Codes and Error Responses",
 * REST API Developer Guide). With 200 a maintenance page takes the place of an answer.
 */
const GATEWAY_PAGES: Readonly<Record<number, string>> = {
  200: 'We are down for maintenance',
  302: 'Found',
  400: 'Bad Request',
  403: 'Forbidden',
  404: 'Not Found',
  407: 'Proxy Authentication Required',
  408: 'Request Timeout',
  420: 'Not Available',
  429: 'Too Many Requests',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

/** The member of a fault that says with which status a gateway answers. */
export const GATEWAY_STATUS: FaultMember<never> = {
  type: 'number',
  label: 'Status',
  oneOf: Object.keys(GATEWAY_PAGES).map(Number),
};

/** The answer of a gateway in the place of the server behind it: a page for people, and nothing of that server. */
export function gatewayPage(status: number): Answer {
  const title = GATEWAY_PAGES[status] ?? '';
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      ...(status === 302 && { location: '/maintenance' }),
    },
    body: `<html><head><title>${status} ${title}</title></head><body><h1>${title}</h1></body></html>`,
  };
}
