import { onTestFinished } from 'vitest';
import { need } from '../../../../scripts/need.mjs';
import {
  type MarketingCloud,
  type MarketingCloudOptions,
  startMarketingCloud,
} from '../src/index.ts';

await need('duckdb');

export const MID = '100001';
export const OTHER_MID = '100002';
export const CLIENT = { clientId: 'package', secret: 'p%ss: wörd+' };
/** 20 May 2026, 04:00 in US Central without daylight saving. */
export const START = Date.parse('2026-05-20T10:00:00.789Z');

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into JSON of every shape
  readonly body: any;
}

export interface World extends MarketingCloud {
  /** A token of this MID; the same one each time. */
  token(mid?: string): Promise<string>;
  rest(method: string, path: string, body?: unknown, mid?: string): Promise<Answer>;
  /** `message` is what comes into the body of the envelope. */
  soap(action: string, message: string, mid?: string): Promise<Answer>;
  /** Makes a data extension and a query into it, and gives the ObjectID of the query. */
  makeQuery(sql: string, options?: QueryOptions): Promise<string>;
  /** The same, started; gives the TaskID. */
  startQuery(sql: string, options?: QueryOptions): Promise<string>;
  statusOf(taskId: string, mid?: string): Promise<Record<string, string | null>>;
}

export interface QueryOptions {
  readonly mid?: string;
  /** `<Field>` elements; one text `name` of 50 when left out. */
  readonly fields?: readonly string[];
  readonly updateType?: string;
  readonly key?: string;
}

/** The clock stands still until `advance` moves it. Without DuckDB, every query gives one row. */
export async function startWorld(options: MarketingCloudOptions = {}): Promise<World> {
  const runSql = async () => ({ columns: ['name'], rows: [{ name: 'Ada' }] });
  return startDuckdbWorld({ runSql, ...options });
}

/** The same, and its SQL runs. */
export async function startDuckdbWorld(options: MarketingCloudOptions = {}): Promise<World> {
  const cloud = await startMarketingCloud({
    clients: [CLIENT],
    units: [MID, OTHER_MID],
    sample: false,
    tokenSeconds: 86_400,
    now: () => START,
    installDuckdb: true,
    ...options,
  });
  onTestFinished(() => cloud.close());
  return worldOf(cloud);
}

export const field = (name: string, type = 'Text', more = '<MaxLength>50</MaxLength>'): string =>
  `<Field><Name>${name}</Name><FieldType>${type}</FieldType>${more}</Field>`;

function worldOf(cloud: MarketingCloud): World {
  const { origin } = cloud;
  const tokens = new Map<string, string>();
  let made = 0;

  async function token(mid = MID): Promise<string> {
    const known = tokens.get(mid);
    if (known !== undefined) return known;
    const answer = await fetch(`${origin}/v2/token`, {
      method: 'POST',
      body: JSON.stringify({ ...CREDENTIALS, account_id: mid }),
    });
    const { access_token: fresh } = (await answer.json()) as { access_token: string };
    tokens.set(mid, fresh);
    return fresh;
  }

  async function rest(method: string, path: string, body?: unknown, mid = MID): Promise<Answer> {
    const answer = await fetch(origin + path, {
      method,
      headers: { authorization: `Bearer ${await token(mid)}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return answerOf(answer);
  }

  async function soap(action: string, message: string, mid = MID): Promise<Answer> {
    const answer = await fetch(`${origin}/Service.asmx`, {
      method: 'POST',
      headers: { 'content-type': 'text/xml', soapaction: action },
      body: `<Envelope xmlns="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><Header><fueloauth xmlns="http://exacttarget.com">${await token(mid)}</fueloauth></Header><Body>${message}</Body></Envelope>`,
    });
    return answerOf(answer);
  }

  async function makeQuery(sql: string, options: QueryOptions = {}): Promise<string> {
    made += 1;
    const {
      mid = MID,
      fields = [field('name')],
      updateType = 'Overwrite',
      key = `t${made}`,
    } = options;
    const target = await soap(
      'Create',
      `<CreateRequest><Objects xsi:type="DataExtension"><Name>${key}</Name><CustomerKey>${key}</CustomerKey><Fields>${fields.join('')}</Fields></Objects></CreateRequest>`,
      mid,
    );
    if (!target.text.includes('<StatusCode>OK<')) throw new Error(target.text);
    const query = await soap(
      'Create',
      `<CreateRequest><Objects xsi:type="QueryDefinition"><Name>q${key}</Name><CustomerKey>q${key}</CustomerKey><QueryText><![CDATA[${sql}]]></QueryText><TargetType>DE</TargetType><DataExtensionTarget><CustomerKey>${key}</CustomerKey><Name>${key}</Name></DataExtensionTarget><TargetUpdateType>${updateType}</TargetUpdateType></Objects></CreateRequest>`,
      mid,
    );
    const id = tag(query.text, 'NewObjectID');
    if (id === null) throw new Error(query.text);
    return id;
  }

  async function startQuery(sql: string, options: QueryOptions = {}): Promise<string> {
    const id = await makeQuery(sql, options);
    const started = await soap('Perform', performMessage(id), options.mid);
    const taskId = tag(started.text, 'ID');
    if (taskId === null) throw new Error(started.text);
    return taskId;
  }

  async function statusOf(taskId: string, mid = MID): Promise<Record<string, string | null>> {
    const { text } = await soap('Retrieve', statusMessage([taskId]), mid);
    const found = [...text.matchAll(/<Name>(\w+)<\/Name>(?:<Value>([^<]*)<\/Value>)?/g)];
    return Object.fromEntries(found.map(([, name = '', value]) => [name, value ?? null]));
  }

  // Not spread: calls are getters.
  return Object.assign(Object.create(cloud) as MarketingCloud, {
    token,
    rest,
    soap,
    makeQuery,
    startQuery,
    statusOf,
  });
}

export const CREDENTIALS = {
  grant_type: 'client_credentials',
  client_id: CLIENT.clientId,
  client_secret: CLIENT.secret,
};

export function performMessage(objectId: string): string {
  return `<PerformRequestMsg><Action>Start</Action><Definitions><Definition xsi:type="QueryDefinition"><ObjectID>${objectId}</ObjectID></Definition></Definitions></PerformRequestMsg>`;
}

export function statusMessage(taskIds: readonly string[]): string {
  const names = ['TaskID', 'Status', 'StatusMessage', 'ErrorMsg', 'StartDate', 'CompletedDate'];
  const operator = taskIds.length === 1 ? 'equals' : 'IN';
  const values = taskIds.map((id) => `<Value>${id}</Value>`).join('');
  return `<RetrieveRequestMsg><RetrieveRequest><ObjectType>AsyncActivityStatus</ObjectType>${names.map((name) => `<Properties>${name}</Properties>`).join('')}<Filter xsi:type="SimpleFilterPart"><Property>TaskID</Property><SimpleOperator>${operator}</SimpleOperator>${values}</Filter></RetrieveRequest></RetrieveRequestMsg>`;
}

/** The text of the first element of that name. */
export function tag(xml: string, name: string): string | null {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? null;
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  const body: unknown = isJson ? JSON.parse(text) : null;
  return { status: response.status, headers: response.headers, text, body };
}
