import { runJob } from '@millrace/testkit';
import { TemplateError, compile } from 'millrace/documents';
import { greet } from '../jobs/greet.js';

const { outcome, result } = await runJob(greet, { name: 'Ada' });
console.log(outcome, result);

try {
  compile(Buffer.from('no document'));
} catch (error) {
  console.log(error instanceof TemplateError);
}
