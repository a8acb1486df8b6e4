import { type HandlersOf, type Scope, fileHeaders, ok } from '@millrace/workload-kit';
import { type documentContracts, LEASE_HEADER } from '../contract/documents.ts';
import type { DocumentsWithin } from '../within.ts';
import type { WaitingRecords } from '../one/waiting.ts';
import { fileJson } from './json.ts';

export function generateHandlers(
  documents: DocumentsWithin,
  waiting: WaitingRecords,
  scope: Scope,
): HandlersOf<Pick<typeof documentContracts, 'generate'>> {
  return {
    async generate({ body: envelope, caller, correlationId, signal, headers, log }) {
      const context = { correlationId, submitter: caller?.name, signal };
      const lease = headers[LEASE_HEADER];
      const { output, docx, cached, timings, body, warnings } = await waiting.serve({
        envelope,
        correlationId,
        scope,
        caller: caller?.name ?? null,
        lease: lease === undefined ? null : String(lease),
        generate: (tenant) => documents.generate(envelope, { ...context, tenant }),
        log,
      });
      if (warnings.length > 0)
        log.warn({ warnings, file: output.id }, 'a document lacks something');
      const answer = ok({
        file: fileJson(output),
        docx: docx === null ? null : fileJson(docx),
        cached,
        timings,
        correlationId,
        ...(warnings.length > 0 && { warnings: [...warnings] }),
      });
      if (headers.accept?.includes('application/json') === true) return answer;
      return {
        ...answer,
        bytes: await body.bytes(),
        headers: {
          ...fileHeaders(body.name, body.mediaType),
          location: `/files/${output.id}/content`,
          'server-timing': Object.entries(timings)
            .map(([step, ms]) => `${step};dur=${ms.toFixed(1)}`)
            .join(', '),
        },
      };
    },
  };
}
