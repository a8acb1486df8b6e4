// A transaction that runs: statics, frames, calls. What the platform brings (texts, lists, queries) is asked for at the
// `platform`.

import { codeOf, initOf } from './compile.mjs';
import { createLimits } from './limits.mjs';
import { Instance, Returned, TypeName, coerceTo } from './model.mjs';
import { findClass } from './program.mjs';
import { ApexError } from './values.mjs';

/**
 * @typedef {import('./program.mjs').Program} Program
 * @typedef {import('./program.mjs').Class} Class
 * @typedef {import('./program.mjs').Method} Method
 *
 * @typedef {object} Frame a call that is under way
 * @property {Run} run
 * @property {Class} cls
 * @property {string} name of the method
 * @property {Instance | null} self
 * @property {unknown[]} slots the variables
 * @property {number} line of the statement that runs
 * @property {Frame | undefined} caller
 *
 * @typedef {object} Platform what is not written in Apex
 * @property {(type: string) => boolean} isType a type of the platform or an object of the org, in lower case
 * @property {(value: unknown, name: string, args: unknown[]) => unknown} call a method of a value
 * @property {(type: string, name: string, args: unknown[], frame: Frame) => unknown} callStatic
 * @property {(value: unknown, name: string) => unknown} get a member of a value
 * @property {(value: unknown, name: string, member: unknown) => void} set
 * @property {(type: string, name: string) => unknown} getStatic
 * @property {(type: string, given: Given) => unknown} create
 * @property {(value: unknown, type: string) => boolean | undefined} isInstance undefined: not a type of the platform
 * @property {(query: import('./parse-query.mjs').Query, bound: unknown[], frame: Frame) => unknown} query
 * @property {(kind: string, value: unknown, asUser: boolean) => void} write insert, update or delete
 * @property {(user: unknown, block: () => void) => void} runAs
 *
 * @typedef {object} Given what stands after `new`: (a, b), (Name = a), {a, b} or {a => b}
 * @property {unknown[]} args
 * @property {[string, unknown][]} named
 * @property {unknown[] | undefined} items
 * @property {[unknown, unknown][] | undefined} pairs
 *
 * @typedef {ReturnType<typeof createRun>} Run
 */

/** @param {Program} program @param {(run: any) => Platform} makePlatform */
export function createRun(program, makePlatform) {
  /** @type {Map<Class, Map<string, unknown>>} */
  let statics = new Map();

  const run = {
    program,
    platform: /** @type {Platform} */ (/** @type {unknown} */ (undefined)),
    /** The limits of the current transaction. */
    limits: createLimits(),
    /** @type {Frame | undefined} */
    top: undefined,
    get statics() {
      return statics;
    },
    /** Static variables live as long as a transaction. */
    forgetStatics() {
      statics = new Map();
    },

    /** @param {string} name @param {Class | undefined} from */
    findClass: (name, from) => findClass(program, name, from),

    /** @param {Method} method @param {Instance | null} self @param {unknown[]} args */
    invoke(method, self, args) {
      const code = codeOf(method);
      const frame = frameOf(method.cls, self, code.size, method.name);
      for (let i = 0; i < method.parameters.length; i += 1)
        frame.slots[i] = coerceTo(args[i], /** @type {any} */ (method.parameters[i]).type);
      const done = code.run(frame);
      run.top = frame.caller;
      return done instanceof Returned ? coerceTo(done.value, method.type) : null;
    },

    /** @param {Class} cls @param {unknown[]} args */
    construct(cls, args) {
      const self = new Instance(cls);
      for (const { name } of cls.fields) self.values.set(name, null);
      for (const field of cls.fields)
        if (field.init)
          self.values.set(field.name, coerceTo(initial(cls, self, field), field.type));
      const found = run.choose(cls.constructors, args);
      if (found !== undefined) run.invoke(found, self, args);
      else if (args.length > 0)
        throw new Error(`${cls.name} has no constructor for ${args.length} arguments.`);
      return self;
    },

    /** @param {Class} cls @returns {Map<string, unknown>} */
    staticsOf(cls) {
      const known = statics.get(cls);
      if (known !== undefined) return known;
      const values = new Map(cls.statics.map(({ name }) => [name, /** @type {unknown} */ (null)]));
      statics.set(cls, values);
      for (const variable of cls.statics)
        if (variable.init)
          values.set(variable.name, coerceTo(initial(cls, null, variable), variable.type));
      return values;
    },

    /** The one that fits best: a String fits a String better than an Object. @param {Method[]} methods @param {unknown[]} args @returns {Method | undefined} */
    choose(methods, args) {
      const fitting = methods.filter(({ parameters }) => parameters.length === args.length);
      if (fitting.length < 2) return fitting[0];
      const score = (/** @type {Method} */ { parameters, cls }) =>
        parameters.reduce((sum, { type }, i) => {
          if (args[i] === null || type === 'object') return sum + 1;
          return run.isInstance(args[i], type, cls) ? sum + 2 : sum - 100;
        }, 0);
      return fitting.toSorted((a, b) => score(b) - score(a))[0];
    },

    /** @param {unknown} target @param {string} name @param {unknown[]} args @param {Frame | undefined} [frame] @returns {unknown} */
    callOn(target, name, args, frame = run.top) {
      if (target instanceof TypeName) {
        const cls = findClass(program, target.name, frame?.cls);
        const found = cls && run.choose(cls.methods.get(name) ?? [], args);
        if (found) return run.invoke(found, null, args);
        return run.platform.callStatic(target.name, name, args, /** @type {Frame} */ (frame));
      }
      if (target instanceof Instance) {
        const found = run.choose(target.cls.methods.get(name) ?? [], args);
        if (found === undefined) throw new Error(`${target.cls.name} has no method ${name}.`);
        return run.invoke(found, target, args);
      }
      return run.platform.call(target, name, args);
    },

    /** @param {unknown} value @param {string} type in lower case @param {Class} [from] @returns {boolean} */
    isInstance(value, type, from) {
      if (value === null) return false;
      const cls = findClass(program, type, from);
      if (value instanceof Instance)
        return type === 'object' || value.cls === cls || value.cls.interfaces.includes(type);
      if (value instanceof ApexError) {
        const wanted = (cls?.name ?? type).toLowerCase().replace(/^system\./, '');
        return wanted === 'exception' || wanted === 'object' || wanted === value.type.toLowerCase();
      }
      return run.platform.isInstance(value, type) ?? false;
    },

    /** Where the program is, as Salesforce writes it behind an error. */
    place() {
      const lines = [];
      for (let frame = run.top; frame !== undefined; frame = frame.caller)
        lines.push(`Class.${frame.cls.name}.${frame.name}: line ${frame.line}, column 1`);
      return lines.join('\n');
    },
  };
  run.platform = makePlatform(run);
  return run;

  /** @param {Class} cls @param {Instance | null} self @param {number} size @param {string} name @returns {Frame} */
  function frameOf(cls, self, size, name) {
    const frame = {
      run,
      cls,
      name,
      self,
      slots: new Array(size).fill(null),
      line: 0,
      caller: run.top,
    };
    run.top = frame;
    return frame;
  }

  /** @param {Class} cls @param {Instance | null} self @param {import('./program.mjs').Variable} variable */
  function initial(cls, self, variable) {
    const code = initOf(cls, variable);
    const frame = frameOf(cls, self, code.size, '<init>');
    const value = code.run(frame);
    run.top = frame.caller;
    return value;
  }
}
