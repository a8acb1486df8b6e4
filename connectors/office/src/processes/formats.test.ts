import { expect, test } from 'vitest';
import { need } from '../../../../scripts/need.mjs';
import { findOffice } from '../find.ts';
import { otherFormats } from './formats.ts';

await need('office');

test('everything but DOCX, pictures and what is written counts as another format', async () => {
  const search = await findOffice();
  if ('missing' in search) throw new Error(search.missing);
  const others = await otherFormats(search.found);
  const of = (list: string) => others.filter((each) => each.list === list).map(({ name }) => name);
  expect(of('Filter/Filters')).toEqual(['writer8']);
  expect(of('Types/Types')).toEqual(
    expect.arrayContaining(['writer_ODT_FlatXML', 'generic_HTML', 'generic_Text']),
  );
  const needed = ['writer_MS_Word_2007', 'writer_OOXML', 'pdf_Portable_Document_Format', 'chart8'];
  const pictures = ['png_Portable_Network_Graphic', 'svg_Scalable_Vector_Graphics'];
  for (const name of [...needed, ...pictures]) expect(of('Types/Types')).not.toContain(name);
});

test('a LibreOffice whose list is not found keeps all it has', async () => {
  const nowhere = { program: '/nowhere/program', library: null, soffice: null };
  expect(await otherFormats({ ...nowhere, version: { major: 7, minor: 4 } })).toEqual([]);
});
