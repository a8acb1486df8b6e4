// What only two transactions at once can show, and a test in Apex never: what another one does in the middle of this one is
// put in between, in the org that the records are kept in.

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

/** @type {Race[]} */
export const RACES = [
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
