import type { Client } from '@millrace/api';

const DOCX_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
/** The template and the spreadsheet that the documentation uses too. */
const TEMPLATE = new URL('../../../../examples/offer-letter/template.docx', import.meta.url);
const CANDIDATES = new URL('../../../../examples/offer-letter/candidates.csv', import.meta.url);
export const SAMPLE_TEMPLATE = 'offer-letter';

/** One letter for each candidate; the template is added unless there is one of its name. Gives the batch. */
export async function makeLetters(api: Client): Promise<string> {
  const { templates } = await api.listTemplates();
  if (!templates.some(({ name }) => name === SAMPLE_TEMPLATE)) {
    const bytes = await bytesOf(TEMPLATE);
    await api.addTemplate({
      params: { id: SAMPLE_TEMPLATE },
      upload: { type: DOCX_TYPE, bytes },
    });
  }
  const { id } = await api.createBatch({
    query: {
      templateId: SAMPLE_TEMPLATE,
      outputFileName: 'Offer to {{Candidate.Name}}',
      locale: 'en-GB',
      dataLocale: 'en-US',
      // The spreadsheet has no column for the signature and the list of benefits.
      allowMissing: 'true',
    },
    upload: { type: 'text/csv', bytes: await bytesOf(CANDIDATES) },
  });
  return id;
}

/** Gives the run. */
export async function runQuery(api: Client): Promise<string> {
  const sql = 'SELECT TOP 20 JobID, EmailName FROM _Job ORDER BY JobID';
  return (await api.startRun({ body: { sql } })).id;
}

/** The first report that asks for nothing. Gives its name. */
export async function exportReport(api: Client): Promise<string> {
  const { reports } = await api.listReports();
  const first = reports.find(({ parameters }) => parameters.every(({ required }) => !required));
  if (first === undefined)
    throw new Error(
      reports.length === 0
        ? 'No reports yet: put a file into reports/.'
        : 'Every report has required parameters. Choose one and fill in its form.',
    );
  await api.startReport({ params: { name: first.name }, body: {} });
  return first.name;
}

async function bytesOf(url: URL): Promise<ArrayBuffer> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.pathname} did not come`);
  return response.arrayBuffer();
}
