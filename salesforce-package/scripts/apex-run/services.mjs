// Static methods of the platform, and the objects that it makes. What a test calls and this does not know stops it.

import { createHash, randomBytes } from 'node:crypto';
import { Instance } from './model.mjs';
import { fromJson, toJson } from './json.mjs';
import { assertions, regex, statics } from './library.mjs';
import { EnumValue, Native, bean, describeType } from './natives.mjs';
import { parseQuery } from './soql.mjs';
import { ApexError, Blob, Datetime, List, textOf } from './values.mjs';

/**
 * @typedef {import('../lib/apex-tree.mjs').Node} Node
 * @typedef {import('./model.mjs').Run} Run
 * @typedef {import('./model.mjs').Frame} Frame
 * @typedef {import('./org.mjs').Org} Org
 * @typedef {import('./org.mjs').SObject} SObject
 * @typedef {import('./values.mjs').ApexMap} ApexMap
 * @typedef {{ dml: (kind: string, records: SObject[]) => (import('./org.mjs').DmlError | undefined)[], ask: (query: Node, bound: (node: Node) => unknown, frame: Frame, userMode: boolean) => unknown }} Data
 */

/** @param {Org} org @param {Run} run @param {Data} data */
export function createServices(org, run, { dml, ask }) {
  /** @type {{ job: unknown, userId: string, kind: 'queueable' | 'batch', size: number }[]} */
  const jobs = [];
  /** @type {Record<string, Record<string, unknown>>} */
  const states = { restcontext: {} };
  /** @type {unknown} */
  let mock;
  /** @type {unknown} */
  let finalizer;
  /** @type {typeof org.limits | undefined} */
  let outsideTest;

  /** @param {unknown} given @returns {SObject[]} */
  const records = (given) =>
    /** @type {SObject[]} */ (given instanceof List ? given.items : [given]);

  /** @param {string} kind @param {unknown} given */
  function save(kind, given) {
    const results = dml(kind, records(given)).map(
      (error) =>
        new Native('saveresult', {
          issuccess: () => error === undefined,
          geterrors: () =>
            new List(
              error
                ? [
                    new Native(
                      'error',
                      {
                        getmessage: () => error.message,
                        getstatuscode: () => EnumValue.of('statuscode', error.code),
                      },
                      {},
                      `${error.code}: ${error.message}`,
                    ),
                  ]
                : [],
            ),
        }),
    );
    return given instanceof List ? new List(results) : results[0];
  }

  /** @param {string} soql @param {ApexMap} binds @param {EnumValue} mode @param {Frame} frame */
  const queryWith = (soql, binds, mode, frame) =>
    ask(parseQuery(soql), (node) => binds.get(node.text), frame, mode.name === 'USER_MODE');

  /** In a transaction of its own: fresh statics and limits, and nothing uncommitted. @param {() => void} work @param {string} userId */
  function transaction(work, userId) {
    const [limits, user] = [org.limits, org.userId];
    run.forgetStatics();
    org.limits = { queries: 0, queryRows: 0, dml: 0, queueables: 0, emails: 0 };
    org.userId = userId;
    org.uncommitted = false;
    try {
      work();
    } finally {
      Object.assign(org, { limits, userId: user });
      run.forgetStatics();
    }
  }

  function runJobs() {
    for (let next = jobs.shift(); next !== undefined; next = jobs.shift()) {
      const { job, userId, kind, size } = next;
      if (kind === 'batch') runBatch(job, userId, size);
      else runQueueable(job, userId);
    }
  }

  /** @param {unknown} job @param {string} userId */
  function runQueueable(job, userId) {
    /** @type {unknown} */
    let failure = null;
    finalizer = undefined;
    transaction(() => {
      try {
        run.callOn(job, 'execute', [new Native('queueablecontext')], nowhere);
      } catch (error) {
        if (!(error instanceof ApexError)) throw error;
        failure = error;
      }
    }, userId);
    const last = finalizer;
    if (last === undefined) {
      if (failure !== null) throw failure;
      return;
    }
    const result = EnumValue.of(
      'parentjobresult',
      failure === null ? 'SUCCESS' : 'UNHANDLED_EXCEPTION',
    );
    const context = new Native('finalizercontext', {
      getresult: () => result,
      getexception: () => failure,
    });
    transaction(() => run.callOn(last, 'execute', [context], nowhere), userId);
  }

  /** @param {unknown} batch @param {string} userId @param {number} size */
  function runBatch(batch, userId, size) {
    /** @type {unknown[]} */
    let all = [];
    transaction(() => {
      const locator = /** @type {Native} */ (run.callOn(batch, 'start', [null], nowhere));
      all = /** @type {List} */ (locator.members['records']).items;
    }, userId);
    for (let i = 0; i < all.length; i += size) {
      const scope = new List(all.slice(i, i + size));
      transaction(() => run.callOn(batch, 'execute', [null, scope], nowhere), userId);
    }
    transaction(() => run.callOn(batch, 'finish', [null], nowhere), userId);
  }

  const nowhere = /** @type {Frame} */ (/** @type {unknown} */ ({ cls: undefined }));
  const user = () => org.table(org.type('User')).get(org.userId) ?? new Map();

  /** @type {Record<string, Record<string, (...args: any[]) => unknown>>} the last argument is always the frame */
  const table = {
    ...statics,
    assert: assertions,
    system: {
      debug: () => null,
      now: () => new Datetime(Date.now()),
      attachfinalizer: (job) => void (finalizer = job),
      enqueuejob: (job) => {
        org.limits.queueables += 1;
        jobs.push({ job, userId: org.userId, kind: 'queueable', size: 0 });
        return '707';
      },
    },
    test: {
      isrunningtest: () => true,
      setmock: (_type, instance) => void (mock = instance),
      starttest: () => {
        outsideTest = org.limits;
        org.limits = { queries: 0, queryRows: 0, dml: 0, queueables: 0, emails: 0 };
      },
      stoptest: () => {
        if (outsideTest !== undefined) org.limits = outsideTest;
        runJobs();
      },
    },
    database: {
      insert: (given) => save('insert', given),
      update: (given) => save('update', given),
      querywithbinds: queryWith,
      getquerylocatorwithbinds: (soql, binds, mode, frame) =>
        new Native('querylocator', {}, { records: queryWith(soql, binds, mode, frame) }),
      executebatch: (job, size) => {
        jobs.push({
          job,
          userId: org.userId,
          kind: 'batch',
          size: typeof size === 'number' ? size : 200,
        });
        return '707';
      },
    },
    limits: {
      getqueries: () => org.limits.queries,
      getlimitqueries: () => 100,
      getqueryrows: () => org.limits.queryRows,
      getlimitqueryrows: () => 50_000,
      getdmlstatements: () => org.limits.dml,
      getpublishimmediatedml: () => 0,
      getqueueablejobs: () => org.limits.queueables,
      getlimitqueueablejobs: () => 50,
      getemailinvocations: () => org.limits.emails,
      getheapsize: () => 100_000,
      getlimitheapsize: () => 6_000_000,
    },
    userinfo: {
      getuserid: () => org.userId,
      getusername: () => user().get('username'),
      getlocale: () => user().get('localesidkey'),
      gettimezone: () => zone(textOf(user().get('timezonesidkey'))),
      ismulticurrencyorganization: () => false,
      getdefaultcurrency: () => 'EUR',
    },
    timezone: { gettimezone: (id) => zone(id) },
    datetime: { ...statics['datetime'], now: () => new Datetime(Date.now()) },
    crypto: {
      generatedigest: (_algorithm, blob) =>
        new Blob(createHash('sha256').update(blob.bytes).digest()),
      generateaeskey: (bits) => new Blob(randomBytes(bits / 8)),
      getrandomlong: () => randomBytes(6).readUIntBE(0, 6),
    },
    encodingutil: { converttohex: (blob) => blob.bytes.toString('hex') },
    json: { serialize: toJson, deserializeuntyped: fromJson },
    pattern: { ...statics['pattern'], compile: (pattern) => patternOf(pattern) },
    featuremanagement: {
      checkpermission: (name) => org.granted().some(({ permissions }) => permissions.has(name)),
    },
    eventbus: {
      publish: () => {
        org.limits.dml += 1;
        return null;
      },
    },
    messaging: {
      sendemail: () => {
        org.limits.emails += 1;
        return null;
      },
    },
    schema: {
      describesobjects: (names) =>
        new List(
          names.items.map((/** @type {string} */ name) => {
            const type = org.schema.get(name.toLowerCase());
            if (type === undefined)
              throw new ApexError('InvalidParameterValueException', `Invalid sobject: ${name}`);
            return describeType(type);
          }),
        ),
    },
  };

  return {
    /** @param {string} type */
    has: (type) => type in table || type in states,
    /** @param {string} type */
    state(type) {
      const found = states[type];
      if (found === undefined) throw new Error(`${type} has no variables.`);
      return found;
    },
    /** @param {string} type @param {string} name @param {unknown[]} args @param {Frame} frame */
    call(type, name, args, frame) {
      const found = table[type]?.[name];
      if (found === undefined) throw new Error(`There is no ${type}.${name}().`);
      return found(
        ...args,
        ...(['querywithbinds', 'getquerylocatorwithbinds'].includes(name) ? [frame] : []),
      );
    },
    /** @param {string} type */
    create(type) {
      switch (type) {
        case 'http':
          return new Native(type, { send });
        case 'httprequest':
        case 'httpresponse':
          return withHeaders(type);
        case 'restrequest':
        case 'restresponse':
          return new Native(
            type,
            { addheader: () => null },
            { requesturi: null, requestbody: null, statuscode: null, responsebody: null },
          );
        case 'messaging.singleemailmessage':
          return bean(type);
        default:
          throw new Error(`A ${type} cannot be made.`);
      }
    },
    runJobs,
    forgetJobs() {
      jobs.length = 0;
      mock = undefined;
      outsideTest = undefined;
    },
  };

  /** @param {unknown} request */
  function send(request) {
    if (org.uncommitted)
      throw new ApexError(
        'CalloutException',
        'You have uncommitted work pending. Please commit or rollback before calling out',
      );
    if (!(mock instanceof Instance)) throw new Error('A call without a mock.');
    return run.callOn(mock, 'respond', [request], nowhere);
  }
}

/** @param {string} type */
function withHeaders(type) {
  /** @type {Map<string, unknown>} */
  const headers = new Map();
  return bean(type, {
    setheader: (name, value) => void headers.set(name.toLowerCase(), value),
    getheader: (name) => headers.get(name.toLowerCase()) ?? null,
  });
}

/** Of an unknown name the platform makes GMT. @param {string} id */
function zone(id) {
  let known = id;
  try {
    Intl.DateTimeFormat('en-US', { timeZone: id });
  } catch {
    known = 'GMT';
  }
  return new Native('timezone', {
    getid: () => known,
    getoffset: (moment) => {
      const parts = new Intl.DateTimeFormat('en-US', {
        timeZone: known,
        timeZoneName: 'longOffset',
      }).formatToParts(moment.ms);
      const [, sign = '+', hours = '0', minutes = '0'] =
        /GMT([+-])?(\d\d)?:?(\d\d)?/.exec(
          parts.find(({ type }) => type === 'timeZoneName')?.value ?? '',
        ) ?? [];
      return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
    },
  });
}

/** @param {string} pattern */
function patternOf(pattern) {
  return new Native('pattern', {
    matcher: (text) => {
      const found = text.matchAll(regex(pattern, 'g'));
      /** @type {RegExpExecArray | undefined} */
      let current;
      return new Native('matcher', {
        find: () => {
          current = found.next().value;
          return current !== undefined;
        },
        group: (i) => current?.[i],
        start: () => current?.index,
        end: () => (current?.index ?? 0) + (current?.[0].length ?? 0),
      });
    },
  });
}
