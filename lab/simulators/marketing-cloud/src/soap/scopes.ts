import type { Scope } from '../auth/endpoint.ts';
import type { Action } from './envelope.ts';
import type { View } from './view.ts';

const VERBS: Readonly<Record<Action, 'read' | 'write' | 'execute'>> = {
  Retrieve: 'read',
  Create: 'write',
  Update: 'write',
  Delete: 'write',
  Perform: 'execute',
};

/**
 * By "API Integration Permission Scopes": data extensions and their fields have scopes of their own, queries those of
 * automations. Folders and the status of tasks are in no list, so they need none here.
 */
function scopeOf(action: Action, objectType: string): Scope | null {
  if (objectType.startsWith('DataExtension')) {
    return action === 'Retrieve' ? 'data_extensions_read' : 'data_extensions_write';
  }
  return objectType === 'QueryDefinition' ? `automations_${VERBS[action]}` : null;
}

export function isAllowed(view: View, action: Action, objectType: string): boolean {
  const { scopes, strikes, operation, unit } = view;
  const scope = scopeOf(action, objectType);
  const isStruck = strikes.strikes('permission', { operation, mid: unit.mid }) !== null;
  return !isStruck && (scope === null || scopes.includes(scope));
}
