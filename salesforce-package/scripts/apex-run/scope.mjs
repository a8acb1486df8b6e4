// The variables that a statement can see, while it is compiled.

/**
 * @typedef {import('./program.mjs').Class} Class
 * @typedef {import('./run.mjs').Frame} Frame
 * @typedef {(frame: Frame) => unknown} Step
 *
 * @typedef {object} Scope
 * @property {Class} cls
 * @property {boolean} isStatic
 * @property {Map<string, { slot: number, type: string }>} names
 * @property {Scope | undefined} outer
 * @property {{ size: number }} method how many places it needs
 * @property {string} place what a statement belongs to
 */

/** @param {Class} cls @param {boolean} isStatic @param {string} name @returns {Scope} */
export function scopeOf(cls, isStatic, name) {
  return {
    cls,
    isStatic,
    names: new Map(),
    outer: undefined,
    method: { size: 0 },
    place: `${cls.name}.${name}`,
  };
}

/** @param {Scope} outer @returns {Scope} */
export function within(outer) {
  return { ...outer, names: new Map(), outer };
}

/** @param {Scope} scope @param {string} name @param {string} type @returns {number} its place */
export function declare(scope, name, type) {
  const slot = scope.method.size;
  scope.method.size += 1;
  scope.names.set(name, { slot, type });
  return slot;
}

/** @param {Scope} scope @param {string} name */
export function find(scope, name) {
  for (let each = /** @type {Scope | undefined} */ (scope); each !== undefined; each = each.outer) {
    const found = each.names.get(name);
    if (found !== undefined) return found;
  }
  return undefined;
}
