import type { Caller } from '../calls/call.ts';
import type { Answer } from '../calls/ask.ts';
import { invalidAnswer } from '../errors.ts';
import type { CallOptions } from '../types.ts';
import { type Xml, childOf, childrenOf, textOf } from './parse.ts';
import { messageOf, refuseFailed } from './refusals.ts';
import { type Element, element, elements, writeXml } from './write.ts';

/** The verbs of the SOAP API, for one business unit. */
export interface Soap {
  /** The result of the one object that was made. */
  create(type: string, object: readonly Element[], options: CallOptions): Promise<Xml>;
  /** The result of the one definition that was started. */
  start(type: string, definition: readonly Element[], options: CallOptions): Promise<Xml>;
  delete(type: string, object: readonly Element[], options: CallOptions): Promise<Xml>;
  /** Over all pages. */
  retrieve(params: Retrieval, options: CallOptions): Promise<Xml[]>;
}

export interface Retrieval {
  readonly type: string;
  readonly properties: readonly string[];
  readonly filter?: Filter | undefined;
}

export interface Filter {
  readonly property: string;
  readonly operator: 'equals' | 'IN' | 'like';
  readonly values: readonly string[];
}

const MESSAGES = 'http://exacttarget.com/wsdl/partnerAPI';
const XSI = 'http://www.w3.org/2001/XMLSchema-instance';
/** A page has up to 2,500 objects: whoever says "more" after five million says it for ever. */
const MOST_PAGES = 2_000;

interface Verb<T> {
  readonly action: 'Create' | 'Retrieve' | 'Perform' | 'Delete';
  readonly type: string;
  readonly message: Element;
  /** The name of the message that answers. */
  readonly answeredBy: string;
  readonly options: CallOptions;
  read(message: Xml): T;
}

export function createSoap(caller: Caller, mid: string): Soap {
  function send<T>({ action, type, message, answeredBy, options, read }: Verb<T>): Promise<T> {
    // Written now, so that a text which cannot be sent costs neither a token nor a slot.
    const body = writeXml(message);
    return caller.call({
      mid,
      operation: `soap:${action} ${type}`,
      isRead: action === 'Retrieve',
      options,
      request: (session) => ({
        method: 'POST',
        url: new URL('Service.asmx', session.soap),
        headers: { 'content-type': 'text/xml; charset=utf-8', soapaction: action },
        body: envelope(session.token, body),
      }),
      read: (answer: Answer) => read(messageOf(answer, answeredBy)),
    });
  }

  function write(
    verb: { action: 'Create' | 'Perform' | 'Delete'; answeredBy: string; type: string },
    message: Element,
    options: CallOptions,
  ): Promise<Xml> {
    return send({ ...verb, message, options, read: (answered) => oneResult(answered) });
  }

  async function retrieve(params: Retrieval, options: CallOptions): Promise<Xml[]> {
    const found: Xml[] = [];
    let message = retrieval(params);
    for (let page = 0; page < MOST_PAGES; page++) {
      const { results, next } = await send({
        action: 'Retrieve',
        type: params.type,
        message,
        answeredBy: 'RetrieveResponseMsg',
        options,
        read: pageOf,
      });
      found.push(...results);
      if (next === null) return found;
      message = retrieval(params, next);
    }
    throw invalidAnswer(`Marketing Cloud has more ${params.type} after ${MOST_PAGES} pages.`);
  }

  return {
    create: (type, object, options) =>
      write(
        { action: 'Create', answeredBy: 'CreateResponse', type },
        element('CreateRequest', [element('Objects', object, { 'xsi:type': type })], {
          xmlns: MESSAGES,
        }),
        options,
      ),
    start: (type, definition, options) =>
      write(
        { action: 'Perform', answeredBy: 'PerformResponseMsg', type },
        element(
          'PerformRequestMsg',
          [
            element('Action', 'Start'),
            element('Definitions', [element('Definition', definition, { 'xsi:type': type })]),
          ],
          { xmlns: MESSAGES },
        ),
        options,
      ),
    delete: (type, object, options) =>
      write(
        { action: 'Delete', answeredBy: 'DeleteResponse', type },
        element('DeleteRequest', [element('Objects', object, { 'xsi:type': type })], {
          xmlns: MESSAGES,
        }),
        options,
      ),
    retrieve,
  };
}

function envelope(token: string, body: string): string {
  const header = element('fueloauth', token, { xmlns: 'http://exacttarget.com' });
  return `<?xml version="1.0" encoding="utf-8"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="${XSI}"><s:Header>${writeXml(header)}</s:Header><s:Body>${body}</s:Body></s:Envelope>`;
}

/** In the order of the WSDL's sequence. */
function retrieval({ type, properties, filter }: Retrieval, continued?: string): Element {
  const asked = element('RetrieveRequest', [
    element('ObjectType', type),
    ...properties.map((property) => element('Properties', property)),
    ...(filter === undefined ? [] : [filterElement(filter)]),
    ...elements({ ContinueRequest: continued }),
  ]);
  return element('RetrieveRequestMsg', [asked], { xmlns: MESSAGES });
}

function filterElement({ property, operator, values }: Filter): Element {
  const content = [
    ...elements({ Property: property, SimpleOperator: operator }),
    ...values.map((value) => element('Value', value)),
  ];
  return element('Filter', content, { 'xsi:type': 'SimpleFilterPart' });
}

function pageOf(message: Xml): { results: readonly Xml[]; next: string | null } {
  const results = childrenOf(message, 'Results');
  refuseFailed(message, []);
  const overall = textOf(message, 'OverallStatus')?.trim();
  if (overall === undefined)
    throw invalidAnswer('A Retrieve was answered without OverallStatus.', 200);
  if (overall.toLowerCase() !== 'moredataavailable') return { results, next: null };
  const next = textOf(message, 'RequestID');
  if (next === null || results.length === 0) {
    throw invalidAnswer('More data are said to be available, but there is no way to them.', 200);
  }
  return { results, next };
}

/** Of a Create and a Delete `Results` is the result, of a Perform it holds `Result`. */
function oneResult(message: Xml): Xml {
  const results = childrenOf(message, 'Results').flatMap((each) => {
    const inner = childrenOf(each, 'Result');
    return inner.length > 0 ? inner : [each];
  });
  refuseFailed(message, results);
  const [result] = results;
  if (result === undefined || childOf(result, 'StatusCode') === undefined) {
    throw invalidAnswer('Marketing Cloud answered without a result.', 200);
  }
  return result;
}
