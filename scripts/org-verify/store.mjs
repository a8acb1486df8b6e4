// The store's promises on an org as it is: those of its contract that need no clock to be moved. The rest (leases that run out,
// sessions that end) is for the simulator, where a minute passes when a test says so.

import { createServer } from 'node:http';
import { once } from 'node:events';

/**
 * @typedef {import('./recorder.mjs').Recorder} Recorder
 * @typedef {{ createSalesforce: Function, createSalesforceStore: Function, filesEffect: Function }} Parts of our own packages
 */

const KIND = 'verify-store';

/** @param {{ instanceUrl: string, accessToken: string, version: string, recorder: Recorder }} org @param {Parts} parts @returns {Promise<string[]>} what does not hold */
export async function walkStore(org, parts) {
  const login = await handOut(org);
  const salesforce = parts.createSalesforce({
    loginUrl: login.url,
    auth: { type: 'clientCredentials', clientId: 'verify', clientSecret: 'verify' },
    apiVersion: org.version,
  });
  const store = parts.createSalesforceStore({ salesforce, defaultKind: 'document', gatherMs: 0 });
  /** @type {string[]} */
  const broken = [];
  /** @param {string} what @param {unknown} wanted @param {unknown} found */
  const expect = (what, wanted, found) => {
    if (JSON.stringify(wanted) !== JSON.stringify(found))
      broken.push(`${what}: wanted ${JSON.stringify(wanted)}, found ${JSON.stringify(found)}`);
  };
  try {
    expect('level', 'apex', await store.level());
    const account = await create(org, 'Account', { Name: 'Millrace verify' });
    for (let n = 0; n < 3; n += 1)
      await create(org, 'Generated_Document__c', { RequestJSON__c: `{"n":${n}}`, Kind__c: KIND });
    const params = {
      worker: 'verify',
      claim: Date.now(),
      wants: [{ kind: KIND, limit: 10 }],
      limit: 10,
      leaseMs: 600_000,
    };
    const { jobs } = await store.claim(params);
    expect('claimed', 3, jobs.length);
    expect(
      'nothing is claimed twice',
      0,
      (await store.claim({ ...params, claim: params.claim + 1 })).jobs.length,
    );
    const replayed = await store.claim({ ...params, replay: true });
    expect('a replay gives the same', ids(jobs), ids(replayed.jobs));
    const [first, second, third] = jobs;
    if (first === undefined || second === undefined || third === undefined) return broken;

    expect('renewed', ['renewed'], await store.renew({ leases: [first], leaseMs: 600_000 }));
    const bytes = Buffer.from('%PDF-1.7\nverify\n');
    const effect = parts.filesEffect([{ part: 'output', name: 'verify.pdf', bytes }], {
      parents: [account],
    });
    const made = { move: 'succeed', result: '{"pages":1}', purgePayload: false, effects: [effect] };
    const settle = (/** @type {unknown} */ job, /** @type {unknown} */ outcome) =>
      store.settle({ settlements: [{ job, outcome, children: [] }] });
    expect('settled with its file', ['settled'], await settle(first, made));
    expect('settled again', ['already'], await settle(first, made));
    expect('state', 'SUCCEEDED', (await store.get({ id: first.id }))?.state);
    const path = `/services/data/v${org.version}/query?q=${encodeURIComponent(`SELECT Id FROM ContentDocumentLink WHERE LinkedEntityId = '${account}'`)}`;
    const links = await org.recorder.call({ method: 'GET', path });
    expect('one link', 1, links.body?.totalSize);

    expect('a stale epoch', ['stale'], await settle({ ...second, epoch: second.epoch - 1 }, made));
    const error = { code: 'verify', message: 'No.', retryable: false };
    expect('failed', ['settled'], await settle(second, { move: 'fail', error, stack: null }));
    expect('tried again', 1, (await store.retry({ select: { ids: [second.id] } })).retried);
    const canceled = await store.cancel({ select: { ids: [third.id] } });
    expect('asked to stop', [third.id], canceled.requested);
    expect('canceled', ['settled'], await settle(third, { move: 'cancel' }));
    await store.cancel({ select: { ids: [second.id] } });
    return broken;
  } finally {
    await store.close();
    login.close();
  }
}

/** @param {{ id: string, epoch: number }[]} jobs */
const ids = (jobs) => jobs.map(({ id, epoch }) => `${id} ${epoch}`).toSorted();

/** @param {{ version: string, recorder: Recorder }} org @param {string} object @param {object} body */
async function create({ version, recorder }, object, body) {
  const path = `/services/data/v${version}/sobjects/${object}`;
  const answer = await recorder.call({ method: 'POST', path, body });
  if (answer.status !== 201) throw new Error(`${object}: ${JSON.stringify(answer.body)}`);
  return /** @type {string} */ (answer.body.id);
}

/** Our client asks for tokens itself; here it gets the session that `sf` has. @param {{ instanceUrl: string, accessToken: string }} org */
async function handOut({ instanceUrl, accessToken }) {
  const token = {
    access_token: accessToken,
    instance_url: instanceUrl,
    token_type: 'Bearer',
    issued_at: String(Date.now()),
    id: `${instanceUrl}/id/00D/005`,
    scope: 'api',
    signature: '',
  };
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(token));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}`, close: () => void server.close() };
}
