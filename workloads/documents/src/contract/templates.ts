import { type Contract, moment, page } from '@millrace/workload-kit/contract';
import { z } from 'zod';

export const DOCX_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

export const template = z.object({
  id: z.string().describe('This version, for ever, such as "tpl-7".'),
  name: z.string(),
  version: z.number(),
  sha256: z.string(),
  size: z.number().describe('In bytes.'),
  createdAt: moment,
  createdBy: z.string().nullable(),
  owner: z
    .string()
    .nullable()
    .describe("Who alone makes documents of it; null: everybody's of the tenant."),
});
export type Template = z.infer<typeof template>;

const place = {
  part: z.string().optional().describe('Of the file, such as "word/document.xml".'),
  paragraph: z.number().optional().describe('Counted from 1 within the part.'),
  snippet: z.string().optional(),
};

export const lintReport = z.object({
  ok: z.boolean().describe('No errors; warnings may be there.'),
  problems: z.array(
    z.object({
      severity: z.enum(['error', 'warning']),
      code: z.string(),
      message: z.string(),
      ...place,
    }),
  ),
  fields: z
    .array(
      z.object({
        path: z.string(),
        kind: z.enum(['value', 'list', 'condition', 'image']),
        required: z
          .boolean()
          .describe('False where it may be missing: in a condition, or with a default.'),
        conditional: z.boolean().describe('It stands in a block: not in every document.'),
        ...place,
      }),
    )
    .describe('The fields it asks for, the first thousand.'),
  fonts: z.array(z.string()),
  missingFonts: z.array(z.string()).describe('Named by the template, and not on this machine.'),
});
export type LintReport = z.infer<typeof lintReport>;

const byTemplate = z.strictObject({
  id: z.string().min(1).max(200).describe('A version, or a name for its newest version.'),
});

export const templateAdded = z.object({ template, created: z.boolean(), lint: lintReport });

export const templatePage = z.object({
  templates: z.array(template),
  next: z.string().nullable().describe('The cursor of the next page.'),
});

const story: Template = {
  id: 'tpl-7',
  name: 'invoice',
  version: 3,
  sha256: '4c1f0c6b2b1d8d0f0e4a7c8a8d6a7b9c1d2e3f405162738495a6b7c8d9e0f1a2',
  size: 30_412,
  createdAt: '2026-01-31T09:00:00.000Z',
  createdBy: 'ada@example.com',
  owner: null,
};
const clean: LintReport = {
  ok: true,
  problems: [],
  fields: [
    {
      path: 'Account.Name',
      kind: 'value',
      required: true,
      conditional: false,
      part: 'word/document.xml',
      paragraph: 2,
      snippet: 'Customer: {{Account.Name}}',
    },
  ],
  fonts: ['Liberation Sans'],
  missingFonts: [],
};

export const templateContracts = {
  addTemplate: {
    method: 'POST',
    path: '/templates/:id',
    summary:
      "Keeps a DOCX as the newest version of a template: 201, or 200 if it is that already. A member's is their own.",
    access: 'member',
    audit: { target: 'id' },
    params: z.strictObject({ id: z.string().min(1).max(200).describe('Its name.') }),
    upload: [DOCX_TYPE],
    response: templateAdded,
    statuses: [201, 200],
    errors: [
      'template_invalid',
      'template_too_large',
      'template_shared',
      'template_name_taken',
      'invalid_name',
      'busy',
    ],
    example: {
      params: { id: 'invoice' },
      response: { template: story, created: true, lint: clean },
    },
  },
  listTemplates: {
    method: 'GET',
    path: '/templates',
    summary: 'The newest version of each template, by name.',
    access: 'viewer',
    query: page,
    response: templatePage,
    statuses: [200],
    errors: ['invalid_cursor'],
    example: { response: { templates: [story], next: null } },
  },
  getTemplate: {
    method: 'GET',
    path: '/templates/:id',
    summary: 'A template, and what its author should know of it.',
    access: 'viewer',
    params: byTemplate,
    response: z.object({ template, lint: lintReport }),
    statuses: [200],
    errors: ['template_not_found', 'busy'],
    example: { params: { id: 'invoice' }, response: { template: story, lint: clean } },
  },
  listTemplateVersions: {
    method: 'GET',
    path: '/templates/:id/versions',
    summary: 'All versions of a template, newest first.',
    access: 'viewer',
    params: byTemplate,
    query: page,
    response: templatePage,
    statuses: [200],
    errors: ['template_not_found', 'invalid_cursor'],
    example: { params: { id: 'invoice' }, response: { templates: [story], next: null } },
  },
  downloadTemplate: {
    method: 'GET',
    path: '/templates/:id/content',
    summary: 'The DOCX itself.',
    access: 'member',
    audit: { target: 'id', once: true },
    params: byTemplate,
    response: z.unknown(),
    statuses: [200],
    media: 'application/octet-stream',
    errors: ['template_not_found'],
    example: { params: { id: 'tpl-7' }, response: 'PK…' },
  },
  deleteTemplate: {
    method: 'DELETE',
    path: '/templates/:id',
    summary:
      'Forgets a version, or by name all of them; 409 while something that is not over uses it.',
    access: 'member',
    audit: { target: 'id', count: ['removed'] },
    params: byTemplate,
    response: z.object({ removed: z.array(z.string()) }),
    statuses: [200],
    errors: ['template_not_found', 'template_in_use', 'template_shared'],
    example: { params: { id: 'tpl-7' }, response: { removed: ['tpl-7'] } },
  },
  previewTemplate: {
    method: 'POST',
    path: '/templates/:id/preview',
    summary: 'A document from sample data, which is not kept.',
    access: 'member',
    params: byTemplate,
    body: z.strictObject({
      data: z.record(z.string(), z.unknown()).default({}),
      outputFormat: z
        .enum(['PDF', 'DOCX', 'PNG'])
        .default('PDF')
        .describe('PNG: page 1 as a picture.'),
      locale: z.string().min(1).max(50).optional(),
      timezone: z.string().min(1).max(100).optional(),
      dataLocale: z
        .string()
        .min(1)
        .max(50)
        .optional()
        .describe('How text that is shown as a date, number or currency is written: de-DE.'),
      width: z.int().min(50).max(4_000).optional().describe('Of a PNG, in pixels.'),
    }),
    response: z.unknown(),
    statuses: [200],
    media: 'application/octet-stream',
    errors: [
      'template_not_found',
      'validation_error',
      'conversion_failed',
      'conversion_timeout',
      'busy',
    ],
    example: {
      params: { id: 'invoice' },
      body: { data: { Account: { Name: 'Acme' } }, outputFormat: 'PNG', width: 400 },
      response: '…',
    },
  },
  lintTemplate: {
    method: 'POST',
    path: '/lint',
    summary: 'What is in a DOCX template, and what is wrong with it. Nothing is kept.',
    access: 'member',
    upload: [DOCX_TYPE],
    response: lintReport,
    statuses: [200],
    errors: ['template_too_large', 'busy'],
    example: { response: clean },
  },
} as const satisfies Record<string, Contract>;
