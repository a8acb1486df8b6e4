import { type Contract, moment, trueOrFalse } from '@millrace/workload-kit/contract';
import { z } from 'zod';
import { mid } from './values.ts';

export const catalogField = z.object({
  name: z.string(),
  type: z.string().describe('In the words of Marketing Cloud: Text, Number, Date, …'),
  maxLength: z.number().nullable(),
  isPrimaryKey: z.boolean(),
  isRequired: z.boolean(),
});
export type CatalogField = z.infer<typeof catalogField>;

export const catalog = z.object({
  mid: z.string(),
  mids: z.array(z.string()).describe('All business units that the tenant may query.'),
  dataExtensions: z.array(
    z.object({
      name: z.string(),
      customerKey: z.string(),
      folders: z
        .array(z.string())
        .describe('Names of the folders that it is in, outermost first; empty where not known.'),
      fields: z
        .array(catalogField)
        .nullable()
        .describe('Null: not read yet; ask with dataExtension.'),
    }),
  ),
  dataViews: z
    .array(z.object({ name: z.string(), fields: z.array(catalogField) }))
    .describe('System data views, such as _Sent. They are the same everywhere.'),
  fetchedAt: moment.describe('When Marketing Cloud was asked for the list.'),
});
export type Catalog = z.infer<typeof catalog>;

const field = (name: string, type: string, isPrimaryKey = false): CatalogField => ({
  name,
  type,
  maxLength: type === 'Number' ? null : 254,
  isPrimaryKey,
  isRequired: isPrimaryKey,
});

export const catalogContracts = {
  getCatalog: {
    method: 'GET',
    path: '/catalog',
    summary: 'What can be queried in a business unit: data extensions, fields and data views.',
    access: 'member',
    query: z.strictObject({
      mid: mid.optional(),
      dataExtension: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe('Only this one, by name or key, with its fields; also a data view, by its name.'),
      refresh: trueOrFalse
        .optional()
        .describe('Asks Marketing Cloud, and not what it said some minutes ago.'),
    }),
    response: catalog,
    statuses: [200],
    errors: [
      'mid_not_allowed',
      'data_extension_not_found',
      'marketing_cloud_not_configured',
      'marketing_cloud_unavailable',
      'marketing_cloud_refused',
    ],
    example: {
      query: { dataExtension: 'Customers' },
      response: {
        mid: '100001',
        mids: ['100001', '100002'],
        dataExtensions: [
          {
            name: 'Customers',
            customerKey: '2B0A7C3E-9B2F-4B0C-8C41-0C5B6A3E1D77',
            folders: ['Data Extensions', 'Shop'],
            fields: [field('EmailAddress', 'EmailAddress', true), field('Orders', 'Number')],
          },
        ],
        dataViews: [{ name: '_Open', fields: [field('SubscriberKey', 'Text')] }],
        fetchedAt: '2026-01-31T09:00:00.000Z',
      },
    },
  },
} as const satisfies Record<string, Contract>;
