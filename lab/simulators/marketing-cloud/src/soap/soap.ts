import type { Answer } from '@millrace/simulator-kit';
import { SCOPES } from '../auth/endpoint.ts';
import type { Cloud } from '../cloud.ts';
import type { Strikes } from '../faults.ts';
import { change, perform } from './changes.ts';
import { type SoapCall, fault } from './envelope.ts';
import { createRetrieve } from './retrieve.ts';
import type { View } from './view.ts';

export interface SoapRequest {
  readonly call: SoapCall;
  readonly operation: string;
  /** The business unit of the token; empty where the token is not valid. */
  readonly mid: string;
  readonly strikes: Strikes;
}

/** `POST /Service.asmx`. */
export function createSoap(cloud: Cloud): (request: SoapRequest) => Answer {
  const retrieve = createRetrieve();

  return ({ call, operation, mid, strikes }) => {
    const about = { operation, mid };
    if (strikes.strikes('token-expired', about) !== null) cloud.tokens.end(call.token);
    const session = cloud.tokens.find(call.token);
    const unit = session === null ? undefined : cloud.units.get(session.mid);
    if (session === null || unit === undefined) return fault('q0:Security', 'Token Expired');
    const isSlowedDown =
      strikes.strikes('throttled', about) !== null || strikes.strikes('blocked', about) !== null;
    if (isSlowedDown) return throttled();
    const view: View = {
      cloud,
      unit,
      strikes,
      operation,
      scopes: session.client.scopes ?? SCOPES,
    };
    if (call.action === 'Retrieve') return retrieve(view, call.message);
    if (call.action === 'Perform') return perform(view, call.message);
    return change(view, call.action, call.message);
  };
}

/** The sample payload of "Rate Limiting" (SOAP, mc-apis): HTTP 500 and an API fault with this code. */
function throttled(): Answer {
  return fault('soap:Server', 'Rate Limited', { code: 17 });
}
