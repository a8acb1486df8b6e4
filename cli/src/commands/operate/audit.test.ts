import { describe, expect, test } from 'vitest';
import { MINUTE, anAuditEntry, at } from '../../../test/jobs.ts';
import { documents, fixture } from '../../../test/run.ts';

const three = () => [
  anAuditEntry({
    id: '19',
    action: 'retryJobs',
    target: null,
    filter: { state: 'FAILED', kind: 'report.monthly', createdAfter: at(-60 * MINUTE) },
    count: 1_204,
  }),
  anAuditEntry({
    id: '18',
    at: at(-60 * MINUTE),
    action: 'pauseKind',
    target: 'hello',
    count: null,
    actor: 'otto\u001B[2J@example.com',
    subject: null,
    outcome: 'refused',
  }),
  anAuditEntry({
    at: at(-50 * 60 * MINUTE),
    action: 'cancelJobs',
    target: null,
    filter: { all: true },
  }),
];

async function audited() {
  const { service, ...rest } = await fixture();
  service.audit = three();
  return { service, ...rest };
}

describe('millrace audit', () => {
  test('shows who did what to what', async () => {
    const { millrace } = await audited();
    const { code, lines } = await millrace('audit', { terminal: 180 });
    expect(code).toBe(0);
    expect(lines).toEqual([
      'WHEN       WHO                   SUBJECT                               WHAT        TARGET                                                                   JOBS  OUTCOME',
      `5 min ago  ada@example.com       b7b0c6c4-4f6e-4c0b-a3a5-0d3a4b1f2c11  retryJobs   state FAILED, kind report.monthly, made since ${at(-60 * MINUTE)}  1,204  done`,
      '1 h ago    otto [2J@example.com  -                                     pauseKind   hello                                                                       -  refused',
      '2 d ago    ada@example.com       b7b0c6c4-4f6e-4c0b-a3a5-0d3a4b1f2c11  cancelJobs  all true                                                                    1  done',
    ]);
  });

  test('leaves the subject out first', async () => {
    const { millrace } = await audited();
    expect((await millrace('audit', { terminal: 80 })).lines[0]).toMatch(
      /^WHEN +WHO +WHAT +TARGET +JOBS +OUTCOME$/,
    );
  });

  test('leaves out what matters least where it is narrow', async () => {
    const { millrace } = await audited();
    expect((await millrace('audit', { terminal: 42 })).lines[0]).toBe(
      'WHEN       WHO         WHAT        OUTCOME',
    );
  });

  test('is filtered by the server', async () => {
    const { millrace, server } = await audited();
    expect((await millrace('audit -q --actor ada@example.com')).lines).toEqual(['19', '17']);
    expect((await millrace('audit -q --action pauseKind')).lines).toEqual(['18']);
    expect((await millrace('audit -q --target hello')).lines).toEqual(['18']);
    expect((await millrace('audit -q --since 2h')).lines).toEqual(['19', '18']);
    expect((await millrace('audit -q --until 10m')).lines).toEqual(['18', '17']);
    expect(server.requests[3]).toContain(`after=${encodeURIComponent(at(-120 * MINUTE))}`);
  });

  test('gives one document per line', async () => {
    const { millrace } = await audited();
    expect(documents((await millrace('audit --json')).stdout)).toEqual(three());
  });

  test('shows the newest, and says that there is more', async () => {
    const { millrace, service, server } = await fixture();
    service.audit = Array.from({ length: 450 }, (_, id) => anAuditEntry({ id: String(id) }));
    const some = await millrace('audit --limit 5');
    expect(some.lines).toHaveLength(6);
    expect(some.stderr).toBe('There is more: --limit N or --all shows it.\n');
    expect((await millrace('audit -q')).lines).toHaveLength(20);
    server.requests.length = 0;
    const all = await millrace('audit --all -q');
    expect(all.lines).toEqual(Array.from({ length: 450 }, (_, id) => String(id)));
    expect(server.requests).toHaveLength(3);
    expect((await millrace('audit --all --limit 3')).code).toBe(2);
  });

  test('says that there is nothing', async () => {
    const { millrace } = await fixture();
    expect(await millrace('audit')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'No entries.\n',
    });
  });
});
