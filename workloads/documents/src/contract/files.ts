import { type Contract, moment, page } from '@millrace/workload-kit/contract';
import { z } from 'zod';

export const file = z.object({
  id: z.string().describe('Such as "file-12".'),
  name: z.string(),
  mediaType: z.string(),
  size: z.number().describe('In bytes.'),
  sha256: z.string(),
  templateId: z.string().nullable(),
  batchId: z.string().nullable(),
  correlationId: z.string().nullable(),
  submitter: z.string().nullable(),
  createdAt: moment,
  expiresAt: moment.describe('Gone from then on.'),
  url: z.string().describe('Where its bytes are, from here.'),
});
export type File = z.infer<typeof file>;

export const fileExample: File = {
  id: 'file-12',
  name: 'Invoice 2026-001.pdf',
  mediaType: 'application/pdf',
  size: 48_210,
  sha256: '9b0d7f5e2a3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6',
  templateId: 'tpl-7',
  batchId: null,
  correlationId: '9f1c0c1e-3f0a-4b59-8a3e-1f2d3c4b5a69',
  submitter: 'ada@example.com',
  createdAt: '2026-01-31T09:30:00.000Z',
  expiresAt: '2026-02-07T09:30:00.000Z',
  url: '/files/file-12/content',
};

const byFile = z.strictObject({ id: z.string().min(1).max(100) });

export const fileContracts = {
  listFiles: {
    method: 'GET',
    path: '/files',
    summary: 'Documents that were made, newest first.',
    access: 'viewer',
    query: page.extend({
      templateId: z.string().min(1).max(200).optional(),
      batchId: z.string().min(1).max(100).optional(),
      correlationId: z.string().min(1).max(200).optional(),
    }),
    response: z.object({
      files: z.array(file),
      next: z.string().nullable().describe('The cursor of the next page.'),
    }),
    statuses: [200],
    errors: ['invalid_cursor'],
    example: { query: { templateId: 'tpl-7' }, response: { files: [fileExample], next: null } },
  },
  getFile: {
    method: 'GET',
    path: '/files/:id',
    summary: 'What is known of a file.',
    access: 'viewer',
    params: byFile,
    response: file,
    statuses: [200],
    errors: ['file_not_found'],
    example: { params: { id: 'file-12' }, response: fileExample },
  },
  downloadFile: {
    method: 'GET',
    path: '/files/:id/content',
    summary: 'Its bytes; a part of them (206) with the header Range.',
    access: 'member',
    audit: { target: 'id', once: true },
    params: byFile,
    response: z.unknown(),
    statuses: [200, 206],
    media: 'application/octet-stream',
    errors: ['file_not_found', 'invalid_range'],
    example: { params: { id: 'file-12' }, response: '%PDF-…' },
  },
  deleteFile: {
    method: 'DELETE',
    path: '/files/:id',
    summary: 'Forgets a file before its time.',
    access: 'operator',
    audit: { target: 'id' },
    params: byFile,
    response: z.object({ removed: z.string() }),
    statuses: [200],
    errors: ['file_not_found'],
    example: { params: { id: 'file-12' }, response: { removed: 'file-12' } },
  },
} as const satisfies Record<string, Contract>;
