import { type Contract } from '@millrace/workload-kit/contract';
import { z } from 'zod';

export const descriptionContracts = {
  openapi: {
    method: 'GET',
    path: '/openapi.json',
    summary: 'This API as an OpenAPI 3.1 document.',
    access: 'anyone',
    response: z.record(z.string(), z.unknown()),
    statuses: [200],
    example: { response: { openapi: '3.1.0', info: { title: 'Millrace', version: '0.1.0' } } },
  },
  docs: {
    method: 'GET',
    path: '/docs/reference',
    summary: 'The API reference as a page.',
    access: 'anyone',
    response: z.string(),
    statuses: [200],
    media: 'text/html',
    example: { response: '<!doctype html>…' },
  },
  metrics: {
    method: 'GET',
    path: '/metrics',
    summary: 'Metrics in the text format of Prometheus.',
    access: 'operator',
    wide: true,
    response: z.string(),
    statuses: [200],
    media: 'text/plain',
    example: {
      response: [
        '# HELP queue_depth Jobs that wait, over all replicas.',
        '# TYPE queue_depth gauge',
        'queue_depth{kind="report.monthly"} 3',
      ].join('\n'),
    },
  },
} as const satisfies Record<string, Contract>;
