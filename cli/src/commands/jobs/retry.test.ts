import { describe, expect, test } from 'vitest';
import { aJob, failed } from '../../../test/jobs.ts';
import { fixture } from '../../../test/run.ts';
import { editText } from '../../terminal/editor.ts';

describe('millrace retry with other data', () => {
  test('takes it as JSON', async () => {
    const { millrace, service } = await fixture([failed()]);
    expect(await millrace(`retry pg-1 --data '{"name":"Grace"}'`)).toMatchObject({
      code: 0,
      stdout: 'pg-1  queued again, with new data\n',
    });
    expect(service.jobs[0]?.data).toEqual({ name: 'Grace' });
  });

  test('opens what it had in an editor', async () => {
    const { millrace, service } = await fixture([failed()]);
    const edit = (text: string) => Promise.resolve(text.replace('Ada', 'Grace'));
    expect((await millrace('retry pg-1 --edit', { edit })).code).toBe(0);
    expect(service.jobs[0]?.data).toEqual({ name: 'Grace' });
  });

  test('does nothing where nothing was changed', async () => {
    const { millrace, server } = await fixture([failed()]);
    const ran = await millrace('retry pg-1 --edit', { edit: (text) => Promise.resolve(text) });
    expect(ran).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'The data is unchanged: nothing was queued.\n',
    });
    expect(server.requests).toEqual(['GET /jobs/pg-1']);
  });

  test.each([
    ['retry pg-1 --data {', /^The data is not JSON/],
    ['retry pg-1 pg-2 --data {}', /^New data applies to one job/],
    ['retry --all --data {}', /^New data applies to one job/],
    ['retry pg-1 --edit --data {}', /^Give either --data or --edit/],
    ['retry pg-2 --edit', /^The job is QUEUED: only failed and cancelled/],
  ])('%s is refused', async (line, sentence) => {
    const { millrace } = await fixture([failed(), aJob({ id: 'pg-2' })]);
    const ran = await millrace(line);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toMatch(sentence);
  });

  test('the editor may have words of its own, and its failure changes nothing', async () => {
    expect(await editText({ EDITOR: 'sed -i s/1/2/' }, '{"a":1}\n')).toBe('{"a":2}\n');
    expect(await editText({ VISUAL: 'true', EDITOR: 'false' }, 'x')).toBe('x');
    expect(await editText({ EDITOR: 'true' }, 'x', true)).toBe('x');
    await expect(editText({}, 'x', true)).rejects.toThrow('No terminal or editor to edit it in.');
    await expect(editText({ EDITOR: 'false' }, 'x')).rejects.toThrow('"false" exited with 1');
  });
});
