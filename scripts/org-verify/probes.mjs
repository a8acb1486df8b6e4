// What our design takes for granted of Salesforce, and no document says for certain. Each probe asks the org itself.

/**
 * @typedef {import('./recorder.mjs').Recorder} Recorder
 * @typedef {{ version: string, recorder: Recorder, secondToken: () => Promise<string> }} Asked secondToken: of another user;
 *   rejects where the org has none
 * @typedef {{ holds: boolean | null, found: string }} Finding holds: null where it could not be asked
 * @typedef {{ name: string, claim: string, run: (asked: Asked) => Promise<Finding> }} Probe
 */

const BYTES = Buffer.from(`%PDF-1.7\n${'a line of a page\n'.repeat(100)}`);

/** @type {Probe[]} */
export const PROBES = [
  {
    name: 'graph-with-file',
    claim: 'A file in base64, its link and a record are one transaction of composite/graph.',
    async run({ version, recorder }) {
      const base = `/services/data/v${version}`;
      const account = await recorder.call({
        method: 'POST',
        path: `${base}/sobjects/Account`,
        body: { Name: 'Millrace verify' },
      });
      const { body, status } = await recorder.call({
        method: 'POST',
        path: `${base}/composite/graph`,
        body: { graphs: [graph(base, account.body.id)] },
      });
      const [made] = body?.graphs ?? [];
      if (status !== 200 || made?.isSuccessful !== true)
        return { holds: false, found: `${status} ${JSON.stringify(body).slice(0, 500)}` };
      const id = made.graphResponse.compositeResponse[0].body.id;
      const stored = await recorder.bytes(`${base}/sobjects/ContentVersion/${id}/VersionData`);
      return { holds: stored.equals(BYTES), found: `${stored.length} of ${BYTES.length} bytes` };
    },
  },
  {
    name: 'limit-info-on-apex-rest',
    claim: 'Apex REST answers with Sforce-Limit-Info, as the REST API does.',
    async run({ version, recorder }) {
      const path = '/services/apexrest/millrace/v1/version';
      const { status, headers } = await recorder.call({ method: 'GET', path });
      const rest = await recorder.call({
        method: 'GET',
        path: `/services/data/v${version}/limits`,
      });
      const [ours, theirs] = [headers, rest.headers].map((each) => each['sforce-limit-info']);
      return {
        holds: status === 200 && ours !== undefined,
        found: `Apex REST: ${ours ?? 'nothing'}; REST: ${theirs ?? 'nothing'}`,
      };
    },
  },
  {
    name: 'files-in-system-mode',
    claim:
      'A query WITH SYSTEM_MODE in a class without sharing finds a file that the user cannot see.',
    async run({ version, recorder, secondToken }) {
      /** @type {string} */
      let token;
      try {
        token = await secondToken();
      } catch (error) {
        const [why] = (error instanceof Error ? error.message : String(error))
          .split('\n')
          .slice(-1);
        return { holds: null, found: `There is no second user, whose file it is: ${why}` };
      }
      const base = `/services/data/v${version}`;
      const file = await recorder.call({
        method: 'POST',
        path: `${base}/sobjects/ContentVersion`,
        body: { Title: 'private', PathOnClient: 'private.txt', VersionData: 'cHJpdmF0ZQ==' },
        token,
      });
      // Not even an administrator sees the files of others, without "Query All Files". The Apex says what it found in an exception.
      const apex = `without sharing class Look { Integer files(Id v) { return [SELECT COUNT() FROM ContentVersion WHERE Id = :v WITH SYSTEM_MODE]; } } throw new DmlException('files=' + new Look().files('${file.body.id}'));`;
      const { status, body } = await recorder.call({
        method: 'GET',
        path: `${base}/tooling/executeAnonymous/?anonymousBody=${encodeURIComponent(apex)}`,
      });
      const found = /files=(\d)/.exec(String(body?.exceptionMessage))?.[1];
      if (found === undefined)
        return { holds: null, found: `${status} ${JSON.stringify(body).slice(0, 300)}` };
      return { holds: found === '1', found: `${found} of 1 files` };
    },
  },
  {
    name: 'claims-at-once',
    claim: 'Eight workers that claim at the same moment get no document twice.',
    async run({ version, recorder }) {
      const rows = Array.from({ length: 40 }, () => ({
        attributes: { type: 'Generated_Document__c' },
        Status__c: 'QUEUED',
        RequestJSON__c: '{}',
        Kind__c: 'verify',
      }));
      await recorder.call({
        method: 'POST',
        path: `/services/data/v${version}/composite/sobjects`,
        body: { allOrNone: true, records: rows },
      });
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          recorder.call({
            method: 'POST',
            path: '/services/apexrest/millrace/v1/claim',
            body: {
              worker: `verify-${index}`,
              claimId: `${Date.now()}`,
              leaseSeconds: 60,
              limit: 10,
              maxAttempts: 3,
              wants: [{ kind: 'verify', limit: 10 }],
            },
          }),
        ),
      );
      const ids = answers.flatMap(({ body }) =>
        (body?.jobs ?? []).map((/** @type {{ id: string }} */ { id }) => id),
      );
      const twice = ids.filter((id, index) => ids.indexOf(id) !== index);
      return {
        holds: ids.length > 0 && twice.length === 0,
        found: `${ids.length} given by ${answers.map(({ status }) => status).join(' ')}, ${twice.length} of them twice`,
      };
    },
  },
];

/** @param {string} base @param {string} accountId */
function graph(base, accountId) {
  return {
    graphId: 'document',
    compositeRequest: [
      {
        method: 'POST',
        url: `${base}/sobjects/ContentVersion`,
        referenceId: 'file',
        body: {
          Title: 'verify',
          PathOnClient: 'verify.pdf',
          VersionData: BYTES.toString('base64'),
        },
      },
      {
        method: 'GET',
        url: `${base}/sobjects/ContentVersion/@{file.id}?fields=ContentDocumentId`,
        referenceId: 'read',
      },
      {
        method: 'POST',
        url: `${base}/sobjects/ContentDocumentLink`,
        referenceId: 'link',
        body: {
          ContentDocumentId: '@{read.ContentDocumentId}',
          LinkedEntityId: accountId,
          ShareType: 'V',
          Visibility: 'AllUsers',
        },
      },
      {
        method: 'POST',
        url: `${base}/sobjects/Generated_Document__c`,
        referenceId: 'record',
        body: { Account__c: accountId, RequestJSON__c: '{}', Kind__c: 'verify-graph' },
      },
    ],
  };
}
