import { createGate, createWire, sleep as defaultSleep } from '@millrace/http';
import { loginOrigin } from './calls/address.ts';
import { createBudget } from './calls/budget.ts';
import { createCaller, jsonBody } from './calls/call.ts';
import { createClock } from './calls/clock.ts';
import { createCollections } from './records/collections.ts';
import { createComposite } from './records/composite.ts';
import { peer } from './errors.ts';
import { listenTo } from './events/events.ts';
import { createFiles } from './files/files.ts';
import { createGraphs } from './records/graphs.ts';
import { createQueries } from './records/query.ts';
import { readJson } from './calls/read.ts';
import { createTokens } from './calls/token.ts';
import type {
  Listening,
  Log,
  RequestParams,
  Salesforce,
  SalesforceConfig,
  SalesforceParts,
} from './types.ts';

const DEFAULTS = { apiVersion: '59.0', timeoutMs: 120_000, concurrency: 20 };
const SILENT: Log = { info() {}, warn() {}, error() {} };

/** No request is made before the first call. Throws `invalid_config`. */
export function createSalesforce(
  config: SalesforceConfig,
  parts: SalesforceParts = {},
): Salesforce {
  const { apiVersion, timeoutMs, concurrency } = checked(config);
  const login = loginOrigin(config.loginUrl);
  const { now = Date.now, random = Math.random, sleep = defaultSleep, log = SILENT } = parts;

  const clock = createClock(now);
  const budget = createBudget(now, log);
  const gate = createGate(concurrency, peer);
  const wire = createWire({ peer, connections: concurrency, timeoutMs });
  const base = { wire, clock, timeoutMs, now, random, sleep };
  const tokens = createTokens({ ...base, login, auth: config.auth, log });
  const onCall = parts.onCall ?? (() => {});
  const caller = createCaller({ ...base, apiVersion, gate, tokens, budget, onCall });
  const files = createFiles(caller);

  function request<T>(params: RequestParams): Promise<T> {
    const { body, ...call } = params;
    return caller.call(
      { ...call, ...(body !== undefined && { body: jsonBody(body) }) },
      (answer) => readJson(answer) as Promise<T>,
    );
  }

  const listenings = new Set<Listening>();
  let closing: Promise<void> | null = null;

  async function shut(): Promise<void> {
    gate.close();
    files.close();
    await Promise.all([...listenings].map((listening) => listening.stop()));
    await wire.close();
  }

  return {
    apiVersion,
    request,
    ...createQueries(caller, apiVersion),
    collections: createCollections(caller),
    composite: createComposite(caller, apiVersion),
    graphs: createGraphs(caller, { apiVersion, random, sleep }),
    apex: (params) =>
      request({ ...params, path: `/services/apexrest/${params.path.replace(/^\/+/, '')}` }),
    download: files.download,
    stream: files.stream,
    upload: files.upload,
    listen(params) {
      const listening = listenTo(params, { ...base, apiVersion, tokens, log });
      listenings.add(listening);
      const stop = async (): Promise<void> => {
        listenings.delete(listening);
        await listening.stop();
      };
      if (closing !== null) void stop();
      return { stop };
    },
    limits: (options = {}) => request({ ...options, method: 'GET', path: 'limits' }),
    budget: budget.read,
    now: clock.now,
    stats: () => ({ ...caller.stats(), tokens: tokens.count() }),
    close() {
      closing ??= shut();
      return closing;
    },
  };
}

function checked(config: SalesforceConfig): typeof DEFAULTS {
  const { auth } = config;
  const { apiVersion, timeoutMs, concurrency } = {
    apiVersion: config.apiVersion ?? DEFAULTS.apiVersion,
    timeoutMs: config.timeoutMs ?? DEFAULTS.timeoutMs,
    concurrency: config.concurrency ?? DEFAULTS.concurrency,
  };
  if (!/^\d{2,3}\.0$/.test(apiVersion)) throw invalid('apiVersion must look like 59.0.');
  if (!(timeoutMs > 0)) throw invalid('timeoutMs must be more than 0.');
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw invalid('concurrency must be a whole number from 1.');
  }
  if (auth.clientId === '') throw invalid('auth.clientId is empty.');
  if (auth.type === 'jwt' && auth.username === '') throw invalid('auth.username is empty.');
  if (auth.type === 'clientCredentials' && auth.clientSecret === '') {
    throw invalid('auth.clientSecret is empty.');
  }
  return { apiVersion, timeoutMs, concurrency };
}

const invalid = (message: string): Error => peer.invalid('invalid_config', message);
