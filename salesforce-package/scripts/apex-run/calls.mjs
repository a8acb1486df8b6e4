// Classes, methods and variables while a program runs.

import { Instance, Returned, frameOf } from './model.mjs';
import { ApexError, QueryResult, coerce as plainly } from './values.mjs';

/**
 * @typedef {import('./program.mjs').Class} Class
 * @typedef {import('./program.mjs').Method} Method
 * @typedef {import('./model.mjs').Frame} Frame
 * @typedef {import('./model.mjs').Run} Run
 */

/** @param {Run} run */
export function callsOf(run) {
  /** @param {string} name @param {Class | undefined} from @returns {Class | undefined} */
  function findClass(name, from) {
    for (let cls = from; cls !== undefined; cls = cls.outer) {
      if (cls.inner.has(name)) return cls.inner.get(name);
    }
    const [outer = '', inner] = name.split('.');
    const top = run.classes.get(outer);
    return inner === undefined ? top : top?.inner.get(inner);
  }

  /** @param {Method} method @param {Instance | null} self @param {unknown[]} args */
  function invoke(method, self, args) {
    const frame = frameOf(method.cls, self);
    method.parameters.forEach(({ name, type }, i) => declare(frame, name, type, args[i]));
    if (method.body === undefined) throw new Error(`${method.name} has no body.`);
    const done = run.block(method.body, frame);
    return done instanceof Returned ? coerce(done.value, method.type) : null;
  }

  /** The one that fits best: a String fits a String better than an Object. @param {Method[]} methods @param {unknown[]} args */
  function choose(methods, args) {
    const fitting = methods.filter(({ parameters }) => parameters.length === args.length);
    if (fitting.length < 2) return fitting[0];
    const score = (/** @type {Method} */ { parameters, cls }) =>
      parameters.reduce((sum, { type }, i) => {
        if (args[i] === null || type === 'object') return sum + 1;
        return isInstance(args[i], type, cls) ? sum + 2 : sum - 100;
      }, 0);
    return fitting.toSorted((a, b) => score(b) - score(a))[0];
  }

  /** @param {Class} cls @param {unknown[]} args */
  function construct(cls, args) {
    const self = new Instance(cls);
    const frame = frameOf(cls, self);
    for (const { name } of cls.fields) self.values.set(name, null);
    for (const { name, type, init } of cls.fields)
      if (init) self.values.set(name, coerce(run.value(init, frame), type));
    const found = choose(cls.constructors, args);
    if (found !== undefined) invoke(found, self, args);
    else if (args.length > 0)
      throw new Error(`${cls.name} has no constructor for ${args.length} arguments.`);
    return self;
  }

  /** @param {Class} cls */
  function staticsOf(cls) {
    if (cls.values === undefined) {
      cls.values = new Map(cls.statics.map(({ name }) => [name, null]));
      const frame = frameOf(cls, null);
      for (const { name, type, init } of cls.statics)
        if (init) cls.values.set(name, coerce(run.value(init, frame), type));
    }
    return cls.values;
  }

  /** @param {unknown} value @param {string} type in lower case @param {Class} [from] @returns {boolean} */
  function isInstance(value, type, from) {
    if (value === null) return false;
    const cls = findClass(type, from);
    if (value instanceof Instance) {
      return type === 'object' || value.cls === cls || value.cls.interfaces.includes(type);
    }
    if (value instanceof ApexError) {
      const wanted = (cls?.name ?? type).toLowerCase().replace(/^system\./, '');
      return wanted === 'exception' || wanted === 'object' || wanted === value.type.toLowerCase();
    }
    return run.platform.isInstance(value, type) ?? false;
  }

  /** @param {unknown} value @param {string} type */
  function coerce(value, type) {
    const isRecord = value instanceof QueryResult && type !== 'object' && run.platform.isType(type);
    return isRecord ? value.only() : plainly(value, type);
  }

  /** @param {Frame} frame @param {string} name @param {string} type @param {unknown} value */
  function declare(frame, name, type, value) {
    frame.scopes.at(-1)?.set(name, coerce(value, type));
    frame.types.set(name, type);
  }

  /** @param {Frame} frame @param {string} name */
  function lookUp(frame, name) {
    const scope = frame.scopes.findLast((each) => each.has(name));
    if (scope !== undefined) return { value: scope.get(name) };
    if (frame.self?.values.has(name)) return { value: frame.self.values.get(name) };
    for (
      let cls = /** @type {Class | undefined} */ (frame.cls);
      cls !== undefined;
      cls = cls.outer
    ) {
      if (cls.statics.some((each) => each.name === name))
        return { value: staticsOf(cls).get(name) };
    }
    return undefined;
  }

  /** @param {Frame} frame @param {string} name @param {unknown} value */
  function assign(frame, name, value) {
    const scope = frame.scopes.findLast((each) => each.has(name));
    if (scope !== undefined) return scope.set(name, coerce(value, frame.types.get(name) ?? ''));
    const field = frame.self?.cls.fields.find((each) => each.name === name);
    if (field !== undefined) return frame.self?.values.set(name, coerce(value, field.type));
    for (
      let cls = /** @type {Class | undefined} */ (frame.cls);
      cls !== undefined;
      cls = cls.outer
    ) {
      const found = cls.statics.find((each) => each.name === name);
      if (found !== undefined) return staticsOf(cls).set(name, coerce(value, found.type));
    }
    throw new Error(`There is no variable ${name} in ${frame.cls.name}.`);
  }

  return {
    findClass,
    invoke,
    choose,
    construct,
    staticsOf,
    isInstance,
    coerce,
    declare,
    lookUp,
    assign,
  };
}
