// Static methods of the platform, and the objects that it makes. What a test calls and this does not know stops it.

import { createHash, randomBytes } from 'node:crypto';
import { heapOf } from './heap.mjs';
import { LIMITS, LimitExceeded, STATEMENTS_PER_MS, createLimits } from './limits.mjs';
import { Instance } from './model.mjs';
import { fromJson, toJson } from './json.mjs';
import { assertions, regex, statics } from './library.mjs';
import { EnumValue, Native, bean, describeType } from './natives.mjs';
import { queryOf } from './parse-query.mjs';
import { ApexError, Blob, Datetime, List, textOf } from './values.mjs';

/**
 * @typedef {import('./run.mjs').Run} Run
 * @typedef {import('./run.mjs').Frame} Frame
 * @typedef {import('./records.mjs').Store} Store
 * @typedef {import('./records.mjs').SObject} SObject
 * @typedef {import('./values.mjs').ApexMap} ApexMap
 * @typedef {{ dml: (kind: string, records: SObject[], allOrNone: boolean) => (import('./records.mjs').DmlError | undefined)[], ask: (query: import('./parse-query.mjs').Query, bound: unknown[], frame: Frame, userMode: boolean) => unknown }} Data
 * @typedef {{ job: unknown, userId: string, kind: 'queueable' | 'batch', size: number }} Job
 */

/** Batch jobs that may wait in an org. */
const MOST_HOLDING = 100;

/** @param {Store} org @param {Run} run @param {Data} data */
export function createServices(org, run, { dml, ask }) {
  /** @type {Job[]} */
  const jobs = [];
  /** @type {Record<string, Record<string, unknown>>} */
  const states = { restcontext: {} };
  /** @type {unknown} */
  let mock;
  /** @type {unknown} */
  let finalizer;
  /** @type {typeof run.limits | undefined} */
  let outsideTest;
  let uncommitted = false;
  let isInJob = false;

  /** @param {unknown} given @returns {SObject[]} */
  const records = (given) =>
    /** @type {SObject[]} */ (given instanceof List ? given.items : [given]);

  /** @param {string} kind @param {unknown} given @param {unknown} [allOrNone] */
  function save(kind, given, allOrNone = true) {
    const failures = dml(kind, records(given), allOrNone !== false);
    const failed = failures.find((error) => error !== undefined);
    if (failed && allOrNone !== false)
      throw new ApexError('DmlException', `${failed.code}: ${failed.message}`);
    const results = failures.map(
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
  function queryWith(soql, binds, mode, frame) {
    const query = queryOf(soql);
    const bound = query.binds.map((name) => binds.get(name));
    return ask(query, bound, frame, mode.name === 'USER_MODE');
  }

  /** In a transaction of its own: fresh statics and limits, and nothing uncommitted. @param {() => void} work @param {string} userId */
  function transaction(work, userId) {
    const [limits, user] = [run.limits, org.userId];
    run.forgetStatics();
    run.limits = createLimits();
    org.userId = userId;
    uncommitted = false;
    try {
      work();
    } finally {
      run.limits = limits;
      org.userId = user;
      run.forgetStatics();
    }
  }

  /** What a job starts itself does not run before a test is over: stopTest waits for the first jobs alone. @param {Job} job */
  function start(job) {
    if (!isInJob) jobs.push(job);
  }

  function runJobs() {
    for (const { job, userId, kind, size } of jobs.splice(0)) {
      isInJob = true;
      try {
        if (kind === 'batch') runBatch(job, userId, size);
        else runQueueable(job, userId);
      } finally {
        isInJob = false;
      }
    }
  }

  /** @param {unknown} job @param {string} userId */
  function runQueueable(job, userId) {
    /** @type {unknown} */
    let failure = null;
    finalizer = undefined;
    transaction(() => {
      try {
        run.callOn(job, 'execute', [new Native('queueablecontext')]);
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
    transaction(() => run.callOn(last, 'execute', [context]), userId);
  }

  /** @param {unknown} batch @param {string} userId @param {number} size */
  function runBatch(batch, userId, size) {
    /** @type {unknown[]} */
    let all = [];
    transaction(() => {
      const locator = /** @type {Native} */ (run.callOn(batch, 'start', [null]));
      all = /** @type {List} */ (locator.members['records']).items;
    }, userId);
    if (all.length > size)
      throw new ApexError(
        'UnexpectedException',
        'No more than one executeBatch can be called from within a test method.',
      );
    if (all.length > 0)
      transaction(() => run.callOn(batch, 'execute', [null, new List(all)]), userId);
    transaction(() => run.callOn(batch, 'finish', [null]), userId);
  }

  /** @param {string} name */
  function ofUser(name) {
    const type = org.type('User');
    const row = org.byId(type, org.userId);
    return row === undefined ? null : org.read(row, org.field(type, name));
  }

  /** Reading and writing JSON is where the heap grows at once. @template T @param {T} made */
  function weighed(made) {
    run.limits.heapIs(heapOf(run, made));
    return made;
  }

  /** @type {Record<string, Record<string, (...args: any[]) => unknown>>} the last argument is always the frame */
  const table = {
    ...statics,
    assert: assertions,
    system: {
      debug: () => null,
      now: () => new Datetime(org.now()),
      attachfinalizer: (job) => void (finalizer = job),
      enqueuejob: (job) => {
        // In a test a job may start none ("Queueable Apex", "Testing Queueable Jobs").
        if (isInJob) throw new ApexError('AsyncException', 'Maximum stack depth has been reached.');
        run.limits.spend('queueables');
        start({ job, userId: org.userId, kind: 'queueable', size: 0 });
        return '707';
      },
    },
    test: {
      isrunningtest: () => true,
      getstandardpricebookid: () => org.standardPricebookId,
      setmock: (_type, instance) => void (mock = instance),
      starttest: () => {
        outsideTest = run.limits;
        run.limits = createLimits();
      },
      stoptest: () => {
        if (outsideTest !== undefined) run.limits = outsideTest;
        runJobs();
      },
    },
    database: {
      insert: (given, allOrNone) => save('insert', given, allOrNone),
      update: (given, allOrNone) => save('update', given, allOrNone),
      setsavepoint: () => {
        run.limits.spend('dml');
        return new Native('savepoint', {}, { mark: org.mark() });
      },
      rollback: (savepoint) => {
        run.limits.spend('dml');
        org.rollbackTo(savepoint.members['mark']);
      },
      querywithbinds: queryWith,
      getquerylocatorwithbinds: (soql, binds, mode, frame) =>
        new Native('querylocator', {}, { records: queryWith(soql, binds, mode, frame) }),
      executebatch: (job, size) => {
        const holding = [...org.rows(org.type('AsyncApexJob'))].length;
        // "Using Batch Apex", limits: no exception that could be caught.
        if (holding >= MOST_HOLDING)
          throw new LimitExceeded(
            `You've exceeded the limit of ${MOST_HOLDING} jobs in the flex queue`,
          );
        const count = typeof size === 'number' ? size : 200;
        start({ job, userId: org.userId, kind: 'batch', size: count });
        return '707';
      },
    },
    limits: {
      getqueries: () => run.limits.used.queries,
      getlimitqueries: () => LIMITS.queries,
      getqueryrows: () => run.limits.used.queryRows,
      getlimitqueryrows: () => LIMITS.queryRows,
      getdmlstatements: () => run.limits.used.dml,
      getlimitdmlstatements: () => LIMITS.dml,
      getdmlrows: () => run.limits.used.dmlRows,
      getlimitdmlrows: () => LIMITS.dmlRows,
      getcputime: () => Math.floor(run.limits.used.statements / STATEMENTS_PER_MS),
      getlimitcputime: () => LIMITS.statements / STATEMENTS_PER_MS,
      getpublishimmediatedml: () => 0,
      getqueueablejobs: () => run.limits.used.queueables,
      getlimitqueueablejobs: () => LIMITS.queueables,
      getemailinvocations: () => run.limits.used.emails,
      getheapsize: () => run.limits.used.heap,
      getlimitheapsize: () => LIMITS.heap,
    },
    userinfo: {
      getuserid: () => org.userId,
      getprofileid: () => ofUser('profileid'),
      getusername: () => ofUser('username'),
      getlocale: () => ofUser('localesidkey'),
      gettimezone: () => zone(textOf(ofUser('timezonesidkey'))),
      ismulticurrencyorganization: () => false,
      getdefaultcurrency: () => 'EUR',
    },
    timezone: { gettimezone: (id) => zone(id) },
    datetime: { ...statics['datetime'], now: () => new Datetime(org.now()) },
    crypto: {
      generatedigest: (_algorithm, blob) =>
        new Blob(createHash('sha256').update(blob.bytes).digest()),
      generateaeskey: (bits) => new Blob(randomBytes(bits / 8)),
      getrandomlong: () => randomBytes(6).readUIntBE(0, 6),
    },
    encodingutil: { converttohex: (blob) => blob.bytes.toString('hex') },
    json: {
      serialize: (value) => weighed(toJson(value)),
      deserializeuntyped: (text) => weighed(fromJson(text)),
    },
    pattern: { ...statics['pattern'], compile: (pattern) => patternOf(pattern) },
    featuremanagement: {
      checkpermission: (name) => org.hasPermission(name),
    },
    eventbus: {
      publish: (given) => {
        run.limits.spend('dml');
        org.publish(records(given));
        return null;
      },
    },
    messaging: {
      sendemail: () => {
        run.limits.spend('emails');
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
    /** Until the transaction ends, no call may go out. */
    wrote() {
      uncommitted = true;
    },
    forgetJobs() {
      jobs.length = 0;
      mock = undefined;
      outsideTest = undefined;
    },
  };

  /** @param {unknown} request */
  function send(request) {
    if (uncommitted)
      throw new ApexError(
        'CalloutException',
        'You have uncommitted work pending. Please commit or rollback before calling out',
      );
    if (!(mock instanceof Instance)) throw new Error('A call without a mock.');
    return run.callOn(mock, 'respond', [request]);
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

/** The time zone of a name; the platform turns an unknown name into GMT. @param {string} id */
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
