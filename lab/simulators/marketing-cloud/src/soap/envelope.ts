import { randomUUID } from 'node:crypto';
import type { Answer } from '@millrace/simulator-kit';
import { type Node, type Xml, child, children, element, parseXml, textAt, typeOf } from './xml.ts';

/** The actions that are served, and the messages they come in. */
const MESSAGES = {
  Create: 'CreateRequest',
  Update: 'UpdateRequest',
  Delete: 'DeleteRequest',
  Retrieve: 'RetrieveRequestMsg',
  Perform: 'PerformRequestMsg',
} as const;
export type Action = keyof typeof MESSAGES;

export interface SoapCall {
  readonly action: Action;
  /** The type of its objects: `DataExtension`, `AsyncActivityStatus`. */
  readonly objectType: string;
  readonly token: string;
  readonly message: Node;
}

/** The message says what is asked for: SOAPAction only repeats it, and some clients send a whole address there. */
export function readCall(body: Buffer): SoapCall | null {
  const envelope = child(parseXml(body.toString('utf8')) ?? undefined, 'Envelope');
  for (const [action, name] of Object.entries(MESSAGES) as [Action, string][]) {
    const message = child(envelope, 'Body', name);
    if (message === undefined) continue;
    const token = textAt(envelope, 'Header', 'fueloauth') ?? '';
    return { action, objectType: objectTypeOf(action, message), token, message };
  }
  return null;
}

function objectTypeOf(action: Action, message: Node): string {
  if (action === 'Retrieve') return textAt(message, 'RetrieveRequest', 'ObjectType') ?? '';
  if (action === 'Perform') return typeOf(child(message, 'Definitions', 'Definition'));
  return typeOf(children(message, 'Objects')[0]);
}

const NAMESPACES = [
  'xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"',
  'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"',
  'xmlns:xsd="http://www.w3.org/2001/XMLSchema"',
  'xmlns:wsa="http://schemas.xmlsoap.org/ws/2004/08/addressing"',
].join(' ');

function enveloped(status: number, action: string, content: Xml): Answer {
  const header = element('soap:Header', [
    element('wsa:Action', action),
    element('wsa:MessageID', `urn:uuid:${randomUUID()}`),
  ]);
  const envelope = element('soap:Envelope', [header, element('soap:Body', content)], NAMESPACES);
  return {
    status,
    headers: { 'content-type': 'text/xml; charset=utf-8' },
    body: `<?xml version="1.0" encoding="utf-8"?>${envelope.xml}`,
  };
}

export function response(name: string, content: readonly Xml[]): Answer {
  const message = element(name, content, 'xmlns="http://exacttarget.com/wsdl/partnerAPI"');
  return enveloped(200, name.replace(/Msg$/, ''), message);
}

/** HTTP 500, as SOAP 1.1 asks for where there is a fault. */
export function fault(
  faultcode: string,
  faultstring: string,
  { actor = '', code }: { readonly actor?: string; readonly code?: number } = {},
): Answer {
  const content = [
    element('faultcode', faultcode, faultcode.startsWith('q0:') ? SECURITY : ''),
    element('faultstring', faultstring),
    ...(actor === '' ? [] : [element('faultactor', actor)]),
    // "SOAP Faults": only Server faults have one.
    ...(code === undefined
      ? []
      : [
          element('detail', [
            element(
              'apifault',
              [element('Code', String(code)), element('Message', faultstring)],
              'xmlns="urn:fault.partner.exacttarget.com"',
            ),
          ]),
        ]),
  ];
  return enveloped(
    500,
    'http://schemas.xmlsoap.org/ws/2004/08/addressing/fault',
    element('soap:Fault', content),
  );
}

const SECURITY =
  'xmlns:q0="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"';
