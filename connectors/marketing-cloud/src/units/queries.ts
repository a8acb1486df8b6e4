import { MarketingCloudError, invalid, invalidAnswer } from '../errors.ts';
import { type Rest, sentenceOf } from '../rest/rest.ts';
import { type Xml, textOf } from '../soap/parse.ts';
import { isGenericException } from '../soap/refusals.ts';
import type { Soap } from '../soap/soap.ts';
import { type Element, element, elements, refuseUnwritable } from '../soap/write.ts';
import type { BusinessUnit, CallOptions, NewQuery, QueryDefinition } from '../types.ts';
import { named, segment } from './checks.ts';
import { wasThere } from './data-extensions.ts';
import { startingWith } from './listing.ts';

type Queries = Pick<
  BusinessUnit,
  'createQuery' | 'startQuery' | 'isRunning' | 'validate' | 'findQuery' | 'deleteQuery' | 'queries'
>;

const TYPE = 'QueryDefinition';
const PROPERTIES = ['ObjectID', 'CustomerKey', 'Name', 'CreatedDate'];
const LONGEST_KEY = 36;
/** targetUpdateTypeId: 0 overwrites, 1 updates, 2 appends. */
const OVERWRITE = { targetUpdateTypeId: 0, targetUpdateTypeName: 'Overwrite' };

export function createQueries(soap: Soap, rest: Rest): Queries {
  let folder: string | null = null;

  async function createBySoap(query: NewQuery, options: CallOptions): Promise<string> {
    const result = await soap.create(TYPE, objectOf(query), options);
    const objectId = textOf(result, 'NewObjectID');
    if (objectId === null) throw invalidAnswer('A query was created without an ObjectID.');
    return objectId;
  }

  function createByRest(query: NewQuery, folderId: string, options: CallOptions): Promise<string> {
    return rest.call({
      name: 'queries',
      method: 'POST',
      path: 'automation/v1/queries',
      body: {
        name: query.name,
        key: query.customerKey,
        description: '',
        queryText: query.sql,
        targetName: query.target.name,
        targetKey: query.target.customerKey,
        ...OVERWRITE,
        categoryId: Number(folderId),
      },
      isRead: false,
      options,
      read(body) {
        const id = body['queryDefinitionId'];
        if (typeof id === 'string' && id !== '') return id;
        throw invalidAnswer('A query was created by REST without a queryDefinitionId.');
      },
    });
  }

  /** The uppermost folder of queries ("DataFolder" of the SOAP API), which is where Automation Studio puts a query of no folder. */
  async function topFolder(options: CallOptions): Promise<string | null> {
    if (folder !== null) return folder;
    const filter = {
      property: 'ContentType',
      operator: 'equals',
      values: ['queryactivity'],
    } as const;
    const found = await soap.retrieve(
      { type: 'DataFolder', properties: ['ID', 'ParentFolder.ID'], filter },
      options,
    );
    const top =
      found.find((each) => (textOf(each, 'ParentFolder', 'ID') ?? '0') === '0') ?? found[0];
    folder = textOf(top, 'ID');
    return folder;
  }

  return {
    async createQuery(query, options = {}) {
      refuseLongKey(query.customerKey);
      try {
        return { objectId: await createBySoap(query, options) };
      } catch (error) {
        if (!(error instanceof MarketingCloudError) || !isGenericException(error)) throw error;
        const folderId = query.folderId ?? (await topFolder(options));
        if (folderId === null) throw error;
        // Had SOAP created it after all, REST would say that the key exists already, which is the truth.
        return { objectId: await createByRest(query, folderId, options) };
      }
    },

    async startQuery(objectId, options = {}) {
      const id = named('The ObjectID of a query', objectId);
      const result = await soap.start(TYPE, elements({ ObjectID: id }), options);
      const taskId = textOf(result, 'Task', 'ID')?.trim() ?? '';
      if (taskId === '') throw invalidAnswer('A query was started without a task.');
      return { taskId };
    },

    async isRunning(queryObjectId, options = {}) {
      const id = segment('The ObjectID of a query', queryObjectId);
      return rest.call({
        name: 'isrunning',
        method: 'GET',
        path: `automation/v1/queries/${id}/actions/isrunning/`,
        isRead: true,
        options,
        read({ isRunning }) {
          if (typeof isRunning === 'boolean') return isRunning;
          throw invalidAnswer('Marketing Cloud does not say whether the query is running.', 200);
        },
      });
    },

    async validate(sql, options = {}) {
      refuseUnwritable('The query', sql);
      return rest.call({
        name: 'validate',
        method: 'POST',
        path: 'automation/v1/queries/actions/validate/',
        body: { Text: sql },
        isRead: true,
        options,
        read({ queryValid, errors, warnings }) {
          if (typeof queryValid !== 'boolean') {
            throw invalidAnswer('Marketing Cloud does not say whether the query is valid.', 200);
          }
          return {
            valid: queryValid,
            errors: sentencesOf(errors),
            warnings: sentencesOf(warnings),
          };
        },
      });
    },

    async findQuery(customerKey, options = {}) {
      const filter = {
        property: 'CustomerKey',
        operator: 'equals',
        values: [named('The customer key of a query', customerKey)],
      } as const;
      const found = await soap.retrieve({ type: TYPE, properties: PROPERTIES, filter }, options);
      const [first] = found.flatMap(queryOf);
      return first ?? null;
    },

    async deleteQuery(objectId, options = {}) {
      const id = named('The ObjectID of a query', objectId);
      return wasThere(soap.delete(TYPE, elements({ ObjectID: id }), options));
    },

    async queries(prefix, options = {}) {
      const found = await soap.retrieve(
        { type: TYPE, properties: PROPERTIES, ...startingWith(prefix) },
        options,
      );
      return found.flatMap(queryOf).filter((each) => each.customerKey.startsWith(prefix));
    },
  };
}

function objectOf({ name, customerKey, sql, target, folderId }: NewQuery): Element[] {
  return [
    ...elements({ CustomerKey: customerKey, Name: name, QueryText: sql, TargetType: 'DE' }),
    element(
      'DataExtensionTarget',
      elements({ CustomerKey: target.customerKey, Name: target.name }),
    ),
    ...elements({ TargetUpdateType: 'Overwrite', CategoryID: folderId }),
  ];
}

function queryOf(xml: Xml): QueryDefinition[] {
  const objectId = textOf(xml, 'ObjectID');
  const customerKey = textOf(xml, 'CustomerKey');
  if (objectId === null || customerKey === null) return [];
  const name = textOf(xml, 'Name') ?? '';
  return [{ objectId, customerKey, name, createdAt: textOf(xml, 'CreatedDate') }];
}

function sentencesOf(list: unknown): string[] {
  return Array.isArray(list) ? list.map((each) => sentenceOf(each)) : [];
}

function refuseLongKey(key: string): void {
  if (key !== '' && key.length <= LONGEST_KEY) return;
  throw invalid(
    'invalid_id',
    `The customer key of a query has 1 to ${LONGEST_KEY} characters, not ${key.length}.`,
  );
}
