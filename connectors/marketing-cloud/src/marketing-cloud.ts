import { createGate, createWire, sleep as defaultSleep } from '@millrace/http';
import { authBase } from './calls/address.ts';
import { createAsk } from './calls/ask.ts';
import { createCaller } from './calls/call.ts';
import { createPauses } from './calls/pauses.ts';
import { createTokens } from './calls/token.ts';
import { invalid, peer } from './errors.ts';
import { createRest } from './rest/rest.ts';
import { createSoap } from './soap/soap.ts';
import type {
  BusinessUnit,
  Log,
  MarketingCloud,
  MarketingCloudConfig,
  MarketingCloudParts,
} from './types.ts';
import { checkedMid } from './units/checks.ts';
import { createDataExtensions } from './units/data-extensions.ts';
import { createQueries } from './units/queries.ts';
import { createRows } from './units/rows.ts';
import { createTasks } from './units/tasks.ts';

const DEFAULTS = { timeoutMs: 60_000, concurrency: 10 };
const LONGEST_TIMEOUT_MS = 60 * 60_000;
const SILENT: Log = { info() {}, warn() {}, error() {} };

/** No request is made before the first call. Throws `invalid_config`. */
export function createMarketingCloud(
  config: MarketingCloudConfig,
  parts: MarketingCloudParts = {},
): MarketingCloud {
  const { timeoutMs, concurrency } = checked(config);
  const auth = authBase(config.authUrl);
  const { clientId, clientSecret } = config;
  const { now = Date.now, random = Math.random, sleep = defaultSleep, log = SILENT } = parts;

  const gate = createGate(concurrency, peer);
  const wire = createWire({ peer, connections: concurrency, timeoutMs });
  const ask = createAsk(wire, now);
  const tokens = createTokens({ auth, clientId, clientSecret, ask, timeoutMs, now, log });
  const pauses = createPauses(now);
  const onCall = parts.onCall ?? (() => {});
  const caller = createCaller({
    timeoutMs,
    ask,
    gate,
    tokens,
    pauses,
    clientSecret,
    now,
    random,
    sleep,
    onCall,
  });

  const units = new Map<string, BusinessUnit>();

  function createUnit(mid: string): BusinessUnit {
    const soap = createSoap(caller, mid);
    const rest = createRest(caller, mid);
    return {
      mid,
      ...createDataExtensions(soap),
      ...createQueries(soap, rest),
      ...createTasks(soap),
      ...createRows(rest),
    };
  }

  return {
    businessUnit(mid) {
      const unit = units.get(mid) ?? createUnit(checkedMid(mid));
      units.set(mid, unit);
      return unit;
    },
    scopes: async (mid, options = {}) => (await caller.session(checkedMid(mid), options)).scopes,
    stats: () => ({ ...caller.stats(), tokens: tokens.count() }),
    close() {
      gate.close();
      return wire.close();
    },
  };
}

function checked(config: MarketingCloudConfig): typeof DEFAULTS {
  const { timeoutMs = DEFAULTS.timeoutMs, concurrency = DEFAULTS.concurrency } = config;
  const refuse = (message: string): never => {
    throw invalid('invalid_config', message);
  };
  if (!(timeoutMs > 0 && timeoutMs <= LONGEST_TIMEOUT_MS)) {
    refuse(`timeoutMs must be more than 0 and at most ${LONGEST_TIMEOUT_MS}.`);
  }
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    refuse('concurrency must be a whole number from 1.');
  }
  if (config.clientId === '') refuse('clientId is empty.');
  if (config.clientSecret === '') refuse('clientSecret is empty.');
  return { timeoutMs, concurrency };
}
