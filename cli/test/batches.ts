import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { aBatch, documentsFixture } from './documents.ts';

export const TO_CORRECT =
  '"millrace batch failed batch-3" writes the failed rows into a file; correct it, and "millrace batch retry batch-3 --data FILE" sends it again.';
/** A batch of four rows; the last lacks its amount. */
export const CSV = 'Number,Amount\n1,10\n2,20\n3,30\n4,\n';

export async function rows() {
  const given = await documentsFixture();
  const file = join(given.folder, 'rows.csv');
  await writeFile(file, CSV);
  const zip = join(given.folder, 'out.zip');
  given.documents.batches = [aBatch(0, 0), aBatch(2, 0), aBatch(4, 0)];
  return { ...given, file, zip, line: `batch --template invoice --data ${file} -o ${zip}` };
}
