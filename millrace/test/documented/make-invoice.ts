import { readFile, writeFile } from 'node:fs/promises';
import { compile, lint, openOffice } from 'millrace/documents';

const bytes = await readFile('examples/invoice/template.docx');
const data: unknown = JSON.parse(await readFile('examples/invoice/data.json', 'utf8'));

const { ok, problems } = lint(bytes, { sample: data }); // everything that is wrong, each with its place
if (!ok) throw new Error(problems.map(({ message }) => message).join('\n'));

const template = compile(bytes); // once for all documents
const docx = template.merge(data, { locale: 'en-GB', timeZone: 'Europe/London' });

const office = await openOffice({ slots: 1 }); // LibreOffice, warm until it is closed
const { pdf } = await office.convert(docx);
await office.close();
await writeFile('invoice.pdf', pdf);
