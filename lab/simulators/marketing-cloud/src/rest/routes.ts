import type { Scope } from '../auth/endpoint.ts';

/** The parts of the REST API that are served. */
export interface Route {
  readonly operation: string;
  readonly scope: Scope;
  /** The names in the path: an id, a key, a token. */
  readonly name: string;
}

interface RouteForm {
  readonly method: string;
  readonly path: RegExp;
  readonly operation: string;
  readonly scope: Scope;
}

const QUERIES = String.raw`^/automation/v1/queries`;
const ROWS = String.raw`^/data/v1/customobjectdata`;

const ROUTES: readonly RouteForm[] = [
  form('POST', `${QUERIES}/actions/validate/?$`, 'rest:validate', 'automations_read'),
  form('GET', `${QUERIES}/([^/]+)/actions/isrunning/?$`, 'rest:isrunning', 'automations_read'),
  form('POST', `${QUERIES}/([^/]+)/actions/start/?$`, 'rest:start', 'automations_execute'),
  form('GET', `${QUERIES}/?$`, 'rest:list queries', 'automations_read'),
  form('POST', `${QUERIES}/?$`, 'rest:create query', 'automations_write'),
  form('GET', `${QUERIES}/([^/]+)/log/?$`, 'rest:query log', 'automations_read'),
  form('GET', `${QUERIES}/([^/]+)/?$`, 'rest:get query', 'automations_read'),
  form('DELETE', `${QUERIES}/([^/]+)/?$`, 'rest:delete query', 'automations_write'),
  form('GET', `${ROWS}/key/([^/]+)/rowset/?$`, 'rest:rowset', 'data_extensions_read'),
  form('GET', `${ROWS}/token/([^/]+)/rowset/?$`, 'rest:rowset by token', 'data_extensions_read'),
];

function form(method: string, path: string, operation: string, scope: Scope): RouteForm {
  return { method, path: new RegExp(path, 'i'), operation, scope };
}

export function routeOf(method: string, path: string): Route | null {
  for (const { method: own, path: pattern, operation, scope } of ROUTES) {
    const found = own === method ? pattern.exec(path) : null;
    if (found !== null) return { operation, scope, name: decoded(found[1] ?? '') };
  }
  return null;
}

/** A broken escape names nothing. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
