import { randomUUID } from 'node:crypto';
import type { Answer } from '@millrace/simulator-kit';
import {
  createDataExtension,
  deleteDataExtension,
  deleteField,
  updateDataExtension,
} from './data-extensions.ts';
import { type Action, response } from './envelope.ts';
import { createQuery, deleteQuery, startQuery, updateQuery } from './queries.ts';
import { isAllowed } from './scopes.ts';
import { type Change, SoapRefusal, type View } from './view.ts';
import { type Node, type Xml, child, children, element, textAt, typeOf } from './xml.ts';

const CHANGES: Readonly<Record<string, Change>> = {
  'Create DataExtension': createDataExtension,
  'Update DataExtension': updateDataExtension,
  'Delete DataExtension': deleteDataExtension,
  'Delete DataExtensionField': deleteField,
  'Create QueryDefinition': createQuery,
  'Update QueryDefinition': updateQuery,
  'Delete QueryDefinition': deleteQuery,
  'Perform QueryDefinition': startQuery,
};

/** Create, Update, Delete: each object by itself, and one status over all of them. */
export function change(view: View, action: Action, message: Node): Answer {
  const outcomes = children(message, 'Objects').map((object, place) =>
    outcomeOf(view, action, object, place),
  );
  return response(`${action}Response`, [
    ...outcomes.map(({ xml }) => element('Results', xml)),
    element('RequestID', randomUUID()),
    element('OverallStatus', overall(outcomes)),
  ]);
}

export function perform(view: View, message: Node): Answer {
  const isStart = textAt(message, 'Action')?.toLowerCase() === 'start';
  const outcomes = children(child(message, 'Definitions'), 'Definition').map((object, place) =>
    isStart
      ? outcomeOf(view, 'Perform', object, place)
      : refused(object, place, new SoapRefusal('The action is not valid for this object.')),
  );
  const status = overall(outcomes);
  return response('PerformResponseMsg', [
    element(
      'Results',
      outcomes.map(({ xml }) => element('Result', xml)),
    ),
    element('OverallStatus', status),
    element('OverallStatusMessage'),
    element('RequestID', randomUUID()),
  ]);
}

interface Outcome {
  readonly isDone: boolean;
  readonly xml: readonly Xml[];
}

function overall(outcomes: readonly Outcome[]): string {
  const done = outcomes.filter(({ isDone }) => isDone).length;
  if (done === outcomes.length && done > 0) return 'OK';
  return done === 0 ? 'Error' : 'Has Errors';
}

function outcomeOf(view: View, action: Action, object: Node, place: number): Outcome {
  const type = typeOf(object);
  const name = `${action} ${type}`;
  try {
    const run = Object.hasOwn(CHANGES, name) ? CHANGES[name] : undefined;
    if (run === undefined) throw new SoapRefusal(`${action} is not valid for the object ${type}.`);
    if (!isAllowed(view, action, type)) {
      throw new SoapRefusal(
        `API Permission Failed. Required Permissions: ${type} | ${action}`,
        12_001,
      );
    }
    const { message, newId, objectId, object: shown, task } = run(view, object);
    return {
      isDone: true,
      xml: [
        element('StatusCode', 'OK'),
        element('StatusMessage', message),
        ...(action === 'Perform' ? [] : [element('OrdinalID', String(place))]),
        ...(newId === undefined ? [] : [element('NewID', newId)]),
        ...(objectId === undefined ? [] : [element('NewObjectID', objectId)]),
        element('Object', shown, `xsi:type="${type}"`),
        ...(task === undefined ? [] : [element('Task', task)]),
      ],
    };
  } catch (thrown) {
    if (thrown instanceof SoapRefusal) return refused(object, place, thrown);
    throw thrown;
  }
}

function refused(object: Node, place: number, { message, errorCode }: SoapRefusal): Outcome {
  const key = textAt(object, 'CustomerKey') ?? '';
  return {
    isDone: false,
    xml: [
      element('StatusCode', 'Error'),
      element('StatusMessage', message),
      element('OrdinalID', String(place)),
      ...(errorCode === null ? [] : [element('ErrorCode', String(errorCode))]),
      ...(key === '' ? [] : [element('Object', [element('CustomerKey', key)])]),
    ],
  };
}
