// What a test in Apex can never show: two transactions at once, where what the other one does in the middle of this one is
// put in between, in the org that the records are kept in; and rules of an org's own.

import { DmlError } from './records.mjs';
import { ApexError } from './values.mjs';

/**
 * @typedef {import('./org.mjs').Org} Org
 * @typedef {{ name: string, meanwhile: (org: Org) => void, apex: string }} Race apex: the body of a test
 */

const ASK = `
  DocgenService.Outcome outcome;
  System.runAs(DocgenTestData.userWith('Docgen_User')) {
    Id templateId = DocgenTestData.template().Id;
    Id recordId = DocgenTestData.idsOf(DocgenTestData.opportunities(1))[0];
    outcome = DocgenService.enqueue(
      new List<DocgenService.Request>{ new DocgenService.Request(templateId, recordId, null) }
    )[0];
  }`;

const CLAIM = `
  DocgenClaim.Request request = new DocgenClaim.Request();
  request.worker = 'worker';
  request.claimId = 'claim';
  request.leaseSeconds = 60;
  request.most = 10;
  request.maxAttempts = 3;
  request.wants = new List<DocgenClaim.Want>{ new DocgenClaim.Want(null, 10) };
  Map<String, Object> answer = new DocgenClaim(request).run();`;

/** @param {string} body of the request, in Apex @param {string} action */
const post = (action, body) => `
  RestContext.request = new RestRequest();
  RestContext.response = new RestResponse();
  RestContext.request.requestURI = '/millrace/v1/${action}';
  RestContext.request.requestBody = Blob.valueOf(${body});
  System.runAs(DocgenTestData.userWith('Docgen_Integration')) {
    DocgenQueueRest.doPost();
  }
  String answer = RestContext.response.responseBody.toString();`;

/** @param {Org} org */
function aRuleSetsThePriority(org) {
  org.ruleUpdate = ({ name }) =>
    name === 'Generated_Document__c' ? new Map([['priority__c', 5]]) : undefined;
}

/** Each write of such a record, as a validation rule does. @param {Org} org */
function aRuleRefusesPriority13(org) {
  const { update } = org;
  org.update = (type, id, values) => {
    if (String(org.byId(type, id)?.get('priority__c')) === '13')
      throw new DmlError('FIELD_CUSTOM_VALIDATION_EXCEPTION', 'Not on a Friday.');
    return update.call(org, type, id, values);
  };
}

/** @type {Race[]} */
export const RACES = [
  {
    name: 'a workflow rule updates a field after a worker’s outcome: the outcome stands',
    meanwhile: aRuleSetsThePriority,
    apex: `Generated_Document__c row = DocgenTestData.processing(1, Datetime.now().addMinutes(2))[0];
      update new Generated_Document__c(
        Id = row.Id,
        Status__c = 'SUCCEEDED',
        PresentedToken__c = row.LeaseToken__c
      );
      Generated_Document__c stored = DocgenTestData.stored(row.Id);
      Assert.areEqual('SUCCEEDED', stored.Status__c);
      Assert.areEqual(row.LeaseToken__c, stored.SettledToken__c);
      Assert.areEqual(5, stored.Priority__c);`,
  },
  {
    name: 'a workflow rule updates a field after a person’s move: the move stands, and a refused one does not pass the second time',
    meanwhile: aRuleSetsThePriority,
    apex: `Generated_Document__c row = DocgenTestData.processing(1, Datetime.now().addMinutes(2))[0];
      Generated_Document__c stolen = new Generated_Document__c(Id = row.Id, LeaseToken__c = 'mine');
      Assert.isFalse(Database.update(stolen, false).isSuccess());
      Assert.isFalse(Database.update(stolen, false).isSuccess());
      update new Generated_Document__c(Id = row.Id, Status__c = 'QUEUED');
      Generated_Document__c stored = DocgenTestData.stored(row.Id);
      Assert.areEqual('QUEUED', stored.Status__c);
      Assert.isNull(stored.LeaseToken__c);
      Assert.areEqual(5, stored.Priority__c);`,
  },
  {
    name: 'a person’s move is made whole where another record of the same write is refused',
    meanwhile: () => {},
    apex: `List<Generated_Document__c> rows = DocgenTestData.queued(3);
      for (Integer i = 0; i < 2; i++) {
        rows[i].Status__c = 'FAILED';
        rows[i].Attempts__c = 4;
        rows[i].FinishedAt__c = Datetime.now();
      }
      rows[1].Status__c = 'SUCCEEDED';
      DocgenRows.save(rows);
      List<Database.SaveResult> saved = Database.update(
        new List<Generated_Document__c>{
          new Generated_Document__c(Id = rows[0].Id, Status__c = 'QUEUED'),
          new Generated_Document__c(Id = rows[1].Id, Status__c = 'QUEUED'),
          new Generated_Document__c(Id = rows[2].Id, Status__c = 'CANCELED')
        },
        false
      );
      Assert.isTrue(saved[0].isSuccess() && !saved[1].isSuccess() && saved[2].isSuccess());
      Generated_Document__c again = DocgenTestData.stored(rows[0].Id);
      Assert.areEqual(0, again.Attempts__c);
      Assert.isNull(again.FinishedAt__c);
      Assert.isNotNull(DocgenTestData.stored(rows[2].Id).FinishedAt__c);`,
  },
  {
    name: 'two ask for the same document at once: the second gets the first one’s',
    meanwhile: beforeDocuments((org, type, values) => {
      org.insert(type, new Map([...values, ['correlationid__c', 'another']]), '005another');
    }),
    apex: `${ASK}
      Generated_Document__c only = [SELECT Id, OwnerId FROM Generated_Document__c];
      Assert.areEqual('005another', only.OwnerId);
      Assert.areEqual(only.Id, outcome.documentId);
      Assert.isTrue(outcome.reused);
      Assert.isNull(outcome.error);`,
  },
  {
    name: 'the first of the two is gone again: the second is told to try again',
    meanwhile: beforeDocuments(() => {
      throw new DmlError('DUPLICATE_VALUE', 'duplicate value found: RequestHash__c');
    }),
    apex: `${ASK}
      Assert.isNull(outcome.documentId);
      Assert.isTrue(outcome.error.contains('Try again'));
      Assert.areEqual(0, [SELECT COUNT() FROM Generated_Document__c]);`,
  },
  {
    name: 'a row whose lease a rule of the org refuses is given to nobody',
    meanwhile: aRuleRefusesPriority13,
    apex: `List<Generated_Document__c> rows = DocgenTestData.add(
        new List<Generated_Document__c>{
          new Generated_Document__c(Status__c = 'QUEUED', Priority__c = 13),
          new Generated_Document__c(Status__c = 'QUEUED')
        }
      );
      ${CLAIM}
      List<Object> jobs = (List<Object>) answer.get('jobs');
      Assert.areEqual(1, jobs.size());
      Assert.areEqual(rows[1].Id, ((Map<String, Object>) jobs[0]).get('id'));`,
  },
  {
    name: 'what a rule of the org refuses is not reported as done',
    meanwhile: aRuleRefusesPriority13,
    apex: `Id waiting = DocgenTestData.add(
        new List<Generated_Document__c>{ new Generated_Document__c(Status__c = 'QUEUED', Priority__c = 13) }
      )[0].Id;
      Id failed = DocgenTestData.add(
        new List<Generated_Document__c>{
          new Generated_Document__c(Status__c = 'FAILED', Priority__c = 13)
        }
      )[0].Id;
      Generated_Document__c lost = DocgenTestData.add(
        new List<Generated_Document__c>{
          new Generated_Document__c(
            Status__c = 'PROCESSING',
            Priority__c = 13,
            LockedUntil__c = Datetime.now().addSeconds(-5)
          )
        }
      )[0];
      DocgenQueue.Canceled done = DocgenQueue.cancel(new Set<Id>{ waiting, lost.Id });
      Assert.areEqual(0, done.canceled.size() + done.requested.size());
      Assert.areEqual(0, DocgenQueue.retry(new Set<Id>{ failed }).size()); ${CLAIM}
      Assert.areEqual(0, answer.get('takenOver'));
      Assert.areEqual('PROCESSING', DocgenTestData.stored(lost.Id).Status__c);`,
  },
  {
    name: 'an org takes no more batch jobs: what is in the queue stays, and somebody hears of the rest',
    meanwhile: (org) => {
      for (let n = 0; n < 100; n += 1)
        org.add('AsyncApexJob', { jobtype: 'BatchApex', status: 'Holding' });
    },
    apex: `System.runAs(DocgenTestData.userWith('Docgen_User')) {
        Id templateId = DocgenTestData.template().Id;
        List<Id> ids = DocgenTestData.idsOf(DocgenTestData.opportunities(203));
        new DocgenEnqueueQueueable(templateId, ids, null).execute(null);
        Assert.areEqual(200, [SELECT COUNT() FROM Generated_Document__c]);
        Assert.isTrue(DocgenNotice.sent.startsWith('3 documents'), DocgenNotice.sent);
      }`,
  },
  {
    name: 'rows that somebody holds for too long are not claimed, and there is more',
    meanwhile: everythingIsLocked,
    apex: `DocgenTestData.queued(2); ${CLAIM}
      Assert.areEqual(0, ((List<Object>) answer.get('jobs')).size());
      Assert.isTrue((Boolean) answer.get('more'));`,
  },
  {
    name: 'a renewal that cannot have its rows is asked for again',
    meanwhile: everythingIsLocked,
    apex: `Id rowId = DocgenTestData.queued(1)[0].Id;
      ${post('renew', `'{"leaseSeconds":60,"leases":[{"id":"' + rowId + '","epoch":1}]}'`)}
      Assert.areEqual(400, RestContext.response.statusCode);
      Assert.isTrue(answer.contains('UNABLE_TO_LOCK_ROW'), answer);`,
  },
  {
    name: 'an outcome whose row the trigger cannot have is sent again',
    meanwhile: everythingIsLocked,
    apex: `Generated_Document__c row = DocgenTestData.processing(1, Datetime.now().addMinutes(2))[0];
      Generated_Document__c outcome = new Generated_Document__c(
        Id = row.Id,
        Status__c = 'SUCCEEDED',
        PresentedToken__c = row.LeaseToken__c
      );
      String refusal = Database.update(outcome, false).getErrors()[0].getMessage();
      Assert.isTrue(refusal.contains('UNABLE_TO_LOCK_ROW'), refusal);`,
  },
  {
    name: 'a query that takes too long is no lock, and says so',
    meanwhile: (org) => {
      const { rows } = org;
      org.rows = function (type) {
        if (type.name !== 'Generated_Document__c') return rows.call(org, type);
        throw new ApexError('QueryException', 'Your query request was running for too long.');
      };
    },
    apex: `${post(
      'claim',
      `'{"worker":"w","claimId":"c","leaseSeconds":60,"limit":1,"maxAttempts":3,"wants":[]}'`,
    )}
      Assert.areEqual(400, RestContext.response.statusCode);
      Assert.isTrue(answer.contains('QUERY_TIMEOUT'), answer);`,
  },
];

/** @param {string} worker @param {number} [seconds] */
const claimBy = (worker, seconds = 60) => `
  DocgenClaim.Request request = new DocgenClaim.Request();
  request.worker = '${worker}';
  request.claimId = '${worker}-1';
  request.leaseSeconds = ${seconds};
  request.most = 10;
  request.maxAttempts = 3;
  request.wants = new List<DocgenClaim.Want>{ new DocgenClaim.Want(null, 10) };
  return new DocgenClaim(request).run();`;

const ROWS = 'SELECT Id, LeaseToken__c, Epoch__c FROM Generated_Document__c';
const IDS = `new Map<Id, Generated_Document__c>([${ROWS}]).keySet()`;
const RENEW = `
  List<DocgenQueue.Lease> leases = new List<DocgenQueue.Lease>();
  for (Generated_Document__c row : [${ROWS}]) {
    leases.add(new DocgenQueue.Lease(row.Id, row.Epoch__c.longValue()));
  }
  return DocgenQueue.renew(leases, 600);`;
/** @param {string} epoch as the worker knows it @param {string} move */
const complete = (epoch, move) => `
  List<DocgenQueue.Outcome> outcomes = new List<DocgenQueue.Outcome>();
  for (Generated_Document__c row : [SELECT Id FROM Generated_Document__c]) {
    DocgenQueue.Outcome outcome = new DocgenQueue.Outcome();
    outcome.documentId = row.Id;
    outcome.token = row.Id + ':${epoch}';
    outcome.move = '${move}';
    outcomes.add(outcome);
  }
  return DocgenQueue.complete(outcomes).answers;`;
const EXPIRED = 'DocgenTestData.lost(2);';
const CANCEL = `DocgenQueue.Canceled done = DocgenQueue.cancel(${IDS});
  return new Map<String, Object>{ 'canceled' => done.canceled, 'requested' => done.requested };`;

/** @param {unknown} wanted @param {unknown} found @param {string} what */
function expect(wanted, found, what) {
  const [one, other] = [JSON.stringify(wanted), JSON.stringify(found)];
  if (one !== other) throw new Error(`${what}: wanted ${one}, found ${other}`);
}

/** @param {any} answer of a claim */
const idsOf = (answer) => answer.jobs.map((/** @type {{ id: string }} */ { id }) => id);
/** @param {Record<string, unknown>[]} rows */
const statesOf = (rows) => rows.map((row) => row['status__c']);

/** @type {import('./interleave.mjs').Interleaving[]} */
export const INTERLEAVINGS = [
  {
    name: 'two workers claim at once: no document is given to both',
    setup: 'DocgenTestData.queued(3);',
    one: claimBy('a'),
    other: claimBy('b'),
    check({ one, other, rows }) {
      expect(3, new Set([...idsOf(one), ...idsOf(other)]).size, 'documents given');
      expect(3, idsOf(one).length + idsOf(other).length, 'given in all');
      for (const { id, epoch } of [...one.jobs, ...other.jobs])
        expect(
          `${id}:${epoch}`,
          rows.find((row) => row['id'] === id)?.['leasetoken__c'],
          'lease in the record',
        );
    },
  },
  {
    name: 'a worker claims what is cancelled meanwhile: it does not get it',
    setup: 'DocgenTestData.queued(2);',
    one: claimBy('a'),
    other: CANCEL,
    check({ one, other, rows }) {
      const expected = other.canceled?.length === 2 ? 'CANCELED' : 'PROCESSING';
      expect([expected, expected], statesOf(rows), 'states');
      expect(expected === 'CANCELED' ? 0 : 2, idsOf(one).length, 'claimed');
    },
  },
  {
    name: 'what is put off, put last or suspected while a worker claims it is left alone',
    setup: `List<Generated_Document__c> rows = DocgenTestData.queued(4);
      for (Generated_Document__c row : rows) {
        row.Priority__c = 5;
      }
      DocgenRows.save(rows);`,
    one: claimBy('a').replace('return', 'request.minPriority = 1; return'),
    other: `List<Generated_Document__c> rows = [SELECT Id FROM Generated_Document__c];
      rows[0].Suspect__c = true;
      rows[1].ScheduledRetryTime__c = Datetime.now().addMinutes(5);
      rows[2].Priority__c = 0;
      DocgenRows.save(rows);
      return rows[3].Id;`,
    check({ one, other }) {
      expect([other], idsOf(one), 'claimed');
    },
  },
  {
    name: 'a lease that is renewed while another worker would take it over stays',
    setup: EXPIRED,
    one: claimBy('b'),
    other: RENEW,
    check({ one, other, rows }) {
      if (other.threw) return expect('QUEUED', rows[0]?.['status__c'], 'state');
      expect(['PROCESSING', 'PROCESSING'], statesOf(rows), 'states');
      expect(0, one.takenOver, 'taken over');
      for (const row of rows) expect(`${row['id']}:7`, row['leasetoken__c'], 'lease');
    },
  },
  {
    name: 'a document that ends while another worker would take it over has ended',
    setup: EXPIRED,
    one: claimBy('b'),
    other: complete('7', 'succeed'),
    check({ one, other, rows }) {
      if (other.threw) return expect('QUEUED', rows[0]?.['status__c'], 'state');
      expect(['SUCCEEDED', 'SUCCEEDED'], statesOf(rows), 'states');
      expect(0, one.takenOver, 'taken over');
    },
  },
  {
    name: 'an outcome that comes after the take-over is stale',
    setup: EXPIRED,
    one: complete('7', 'succeed'),
    other: claimBy('b'),
    check({ one, rows }) {
      expect(['stale', 'stale'], one, 'answers');
      expect(['QUEUED', 'QUEUED'], statesOf(rows), 'states');
    },
  },
  {
    name: 'an outcome by REST that comes after the take-over is refused',
    setup: EXPIRED,
    one: `List<Generated_Document__c> outcomes = new List<Generated_Document__c>();
      for (Generated_Document__c row : [${ROWS}]) {
        outcomes.add(
          new Generated_Document__c(
            Id = row.Id,
            Status__c = 'SUCCEEDED',
            PresentedToken__c = row.LeaseToken__c
          )
        );
      }
      Database.SaveResult saved = Database.update(outcomes, false)[0];
      return saved.isSuccess() ? 'SAVED' : saved.getErrors()[0].getMessage().substringBefore(':');`,
    other: claimBy('b'),
    check({ one, rows }) {
      expect('STALE_LEASE', one, 'refusal');
      expect(['QUEUED', 'QUEUED'], statesOf(rows), 'states');
    },
  },
  {
    name: 'of outcomes by REST, those that nobody took over are written',
    setup: `List<Generated_Document__c> rows = DocgenTestData.lost(2);
      rows[1].LockedUntil__c = Datetime.now().addMinutes(2);
      DocgenRows.save(rows);`,
    one: `List<Generated_Document__c> outcomes = new List<Generated_Document__c>();
      for (Generated_Document__c row : [${ROWS}]) {
        outcomes.add(
          new Generated_Document__c(
            Id = row.Id,
            Status__c = 'SUCCEEDED',
            PresentedToken__c = row.LeaseToken__c
          )
        );
      }
      List<Boolean> saved = new List<Boolean>();
      for (Database.SaveResult result : Database.update(outcomes, false)) {
        saved.add(result.isSuccess());
      }
      return saved;`,
    other: claimBy('b'),
    check({ one, other, rows }) {
      if (other.threw) return expect([true, true], one, 'saved');
      expect([false, true], one, 'saved');
      expect(['QUEUED', 'SUCCEEDED'], statesOf(rows), 'states');
    },
  },
  {
    name: 'a request to stop that comes before an outcome by REST goes back cancels',
    setup: 'DocgenTestData.processing(1, Datetime.now().addMinutes(2));',
    one: `Generated_Document__c row = [${ROWS}];
      Generated_Document__c back = new Generated_Document__c(
        Id = row.Id,
        Status__c = 'QUEUED',
        PresentedToken__c = row.LeaseToken__c
      );
      return Database.update(back, false).isSuccess();`,
    other: CANCEL,
    check({ one, other, rows }) {
      expect([true, 1], [one, other.requested.length], 'saved, requested');
      expect(['CANCELED'], statesOf(rows), 'states');
    },
  },
  {
    name: 'a renewal that comes after the take-over is stale',
    setup: EXPIRED,
    one: RENEW,
    other: claimBy('b'),
    check({ one, rows }) {
      expect(['stale', 'stale'], one, 'answers');
      expect(['QUEUED', 'QUEUED'], statesOf(rows), 'states');
    },
  },
  {
    name: 'what is claimed while somebody cancels it is asked to stop',
    setup: 'DocgenTestData.queued(2);',
    one: CANCEL,
    other: claimBy('a'),
    check({ one, other, rows }) {
      expect(2, idsOf(other).length, 'claimed');
      expect([0, 2], [one.canceled.length, one.requested.length], 'canceled, requested');
      expect(['PROCESSING', 'PROCESSING'], statesOf(rows), 'states');
      for (const row of rows) expect(true, row['cancelrequested__c'], 'request to stop');
    },
  },
  {
    name: 'a request to stop that comes before a retry is written cancels',
    setup: 'DocgenTestData.processing(1, Datetime.now().addMinutes(2));',
    one: complete('7', 'retry'),
    other: CANCEL,
    check({ one, other, rows }) {
      expect(1, other.requested.length, 'requested');
      expect(['canceled'], one, 'answers');
      expect(['CANCELED'], statesOf(rows), 'states');
    },
  },
  {
    name: 'two people try the same document again: one does',
    setup: `Generated_Document__c row = DocgenTestData.queued(1)[0];
      row.Status__c = 'FAILED';
      DocgenRows.save(new List<Generated_Document__c>{ row });`,
    one: `return DocgenQueue.retry(${IDS});`,
    other: `return DocgenQueue.retry(${IDS});`,
    check({ one, other }) {
      expect([0, 1], [one.length, other.length], 'tried again');
    },
  },
];

/** @param {Org} org */
function everythingIsLocked(org) {
  org.lock = () => {
    throw new ApexError('QueryException', 'Record Currently Unavailable');
  };
}

/** @param {(org: Org, type: import('./schema.mjs').ObjectType, values: Map<string, unknown>) => void} act */
function beforeDocuments(act) {
  return (/** @type {Org} */ org) => {
    const { insert } = org;
    let acted = false;
    org.insert = function (type, values, owner) {
      if (type.name === 'Generated_Document__c' && !acted) {
        acted = true;
        act(org, type, values);
      }
      return insert.call(org, type, values, owner);
    };
  };
}
