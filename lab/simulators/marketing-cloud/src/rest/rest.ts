import type { Answer } from '@millrace/simulator-kit';
import { SCOPES } from '../auth/endpoint.ts';
import type { Cloud } from '../cloud.ts';
import type { Unit } from '../data/account.ts';
import type { Strikes } from '../faults.ts';
import {
  blocked,
  forbidden,
  notAuthorized,
  notFound,
  throttled,
  unreadableBody,
} from './answers.ts';
import {
  createQuery,
  deleteQuery,
  getQuery,
  isRunning,
  listQueries,
  queryLog,
  startQuery,
  validate,
} from './queries.ts';
import type { Route } from './routes.ts';
import { createRowsets } from './rowset.ts';

export interface RestRequest {
  readonly route: Route;
  readonly token: string;
  /** The business unit of the token; empty where the token is not valid. */
  readonly mid: string;
  readonly search: URLSearchParams;
  readonly body: Buffer;
  readonly strikes: Strikes;
}

export function createRest(cloud: Cloud): (request: RestRequest) => Promise<Answer> {
  const rowsets = createRowsets(cloud);

  async function served(
    { route, search, body, strikes }: RestRequest,
    unit: Unit,
  ): Promise<Answer> {
    const { operation, name } = route;
    const about = { operation, mid: unit.mid };
    switch (operation) {
      case 'rest:isrunning':
        return isRunning(cloud, unit, name, strikes.strikes('not-running', about) !== null);
      case 'rest:start':
        return startQuery(cloud, unit, name);
      case 'rest:get query':
        return getQuery(cloud, unit, name);
      case 'rest:query log':
        return queryLog(unit, name);
      case 'rest:delete query':
        return deleteQuery(unit, name);
      case 'rest:list queries':
        return listQueries(cloud, unit, search);
      case 'rest:rowset':
        if (strikes.strikes('no-rowset', about) !== null) return notFound();
        return rowsets.byKey(unit, name, search);
      case 'rest:rowset by token':
        return rowsets.byToken(unit, name, search);
      default: {
        const sent = parsed(body);
        if (sent === null) return unreadableBody();
        return operation === 'rest:validate'
          ? validate(cloud, unit, sent)
          : createQuery(cloud, unit, sent);
      }
    }
  }

  return async (request) => {
    const { route, token, mid, strikes } = request;
    const about = { operation: route.operation, mid };
    if (strikes.strikes('token-expired', about) !== null) cloud.tokens.end(token);
    const session = cloud.tokens.find(token);
    const unit = session === null ? undefined : cloud.units.get(session.mid);
    if (session === null || unit === undefined) return notAuthorized();
    const slower = strikes.strikes('throttled', about);
    if (slower !== null) return throttled(slower.seconds ?? 5);
    if (strikes.strikes('blocked', about) !== null) return blocked();
    const scopes: readonly string[] = session.client.scopes ?? SCOPES;
    const isAllowed = scopes.includes(route.scope) && strikes.strikes('permission', about) === null;
    return isAllowed ? served(request, unit) : forbidden();
  };
}

function parsed(body: Buffer): Readonly<Record<string, unknown>> | null {
  try {
    const sent: unknown = JSON.parse(body.toString('utf8'));
    const isObject = typeof sent === 'object' && sent !== null && !Array.isArray(sent);
    return isObject ? (sent as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
