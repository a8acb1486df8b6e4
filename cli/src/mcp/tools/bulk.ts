import { BULK_COUNTED, type BulkActionJson, contracts } from '@millrace/api';
import { pollUntil } from '../poll-until.ts';
import { ToolRefusal } from '../refusal.ts';
import { plain, present, quoted } from '../text.ts';
import { type Answer, type Call, answer, defineTool } from '../tool.ts';
import { jobBrief, jobLine } from './job-brief.ts';

/** Most are over by then; how far the others are, show_run says. */
const LOOK_FOR_SECONDS = 10;

const WORDS = {
  retry: 'Retry',
  cancel: 'Cancel',
  priority: 'Change the priority of',
  delete: 'Delete for good',
} as const;

export const bulkAction = defineTool({
  name: 'bulk_action',
  title: 'Act on many jobs',
  about:
    'Retries, cancels, deletes or moves many jobs, by filter or ids. The first answer counts them, with a sample and why they failed; the server freezes which ones. It has to be confirmed.',
  routes: ['freezeBulk', 'runBulk', 'getBulk'],
  effect: 'destroys',
  input: contracts.freezeBulk.body,
  async run({ client, options }, body) {
    const frozen = await client.freezeBulk({ body }, options);
    const left = frozen.leftOut.map(({ count, sentence }) => `Left out: ${count}. ${sentence}`);
    if (frozen.count === 0)
      throw new ToolRefusal('nothing_to_do', ['No job takes this action.', ...left].join(' '));
    return {
      type: 'foresight',
      question: `${WORDS[frozen.action]} ${countOf(frozen)}?${frozen.action === 'delete' ? ' It cannot be undone.' : ''}`,
      lines: [
        ...left,
        ...frozen.causes.map(({ code, count }) => `Last error ${code}: ${count}.`),
        ...(frozen.warning === null ? [] : [frozen.warning]),
        ...frozen.sample.map((job) => `such as ${jobLine(job)}`),
      ],
      data: bulkBrief(frozen),
      foreign: true,
      async act(now) {
        await now.client.runBulk({ params: { id: frozen.id } }, now.options);
        return outcome(now, frozen.id);
      },
    };
  },
});

function countOf({ count, more }: BulkActionJson): string {
  if (more) return `more than ${BULK_COUNTED} jobs (${count} of those counted)`;
  return count === 1 ? '1 job' : `${count} jobs`;
}

async function outcome(call: Call, id: string): Promise<Answer> {
  const bulk = await pollUntil(
    call,
    LOOK_FOR_SECONDS,
    () => call.client.getBulk({ params: { id } }, call.options),
    isOver,
  );
  return answer(bulkLines(bulk), bulkBrief(bulk), {
    foreign: true,
    failed: bulk.state === 'failed',
  });
}

export function isOver({ state }: Pick<BulkActionJson, 'state'>): boolean {
  return state !== 'running' && state !== 'frozen';
}

export function bulkLines(bulk: BulkActionJson): string[] {
  const { id, action, state, count, result, undo } = bulk;
  const done =
    result === null
      ? `${count} jobs selected`
      : `${result.changed} changed, ${result.requested} asked to stop, ${result.skipped} skipped (state changed), ${result.failed} failed`;
  return [
    `${id} ${action} ${state}: ${done}.`,
    ...(result?.failures ?? []).slice(0, 5).map((each) => `${each.id} ${quoted(each.message)}`),
    ...(undo.possible ? [`undo_bulk_action can undo it: ${undo.sentence}`] : []),
  ];
}

export function bulkBrief(bulk: BulkActionJson): Record<string, unknown> {
  const { id, action, state, count, matched, more, leftOut, causes, warning, result } = bulk;
  return present({
    id,
    action,
    state,
    count,
    matched,
    more: more || null,
    leftOut: leftOut.length === 0 ? null : leftOut,
    causes: causes.length === 0 ? null : causes,
    warning,
    sample: bulk.sample.map(jobBrief),
    job: bulk.job,
    result: result && {
      ...result,
      failures: result.failures
        .slice(0, 5)
        .map((each) => ({ ...each, message: plain(each.message) })),
    },
    undoable: bulk.undo.possible || null,
  });
}

export const undoBulkAction = defineTool({
  name: 'undo_bulk_action',
  title: 'Undo a bulk action',
  about:
    'Puts jobs back that a bulk action has cancelled, or gives them their priorities of before. It has to be confirmed.',
  routes: ['undoBulk', 'getBulk'],
  effect: 'destroys',
  input: contracts.undoBulk.params,
  async run({ client, options }, params) {
    const bulk = await client.getBulk({ params }, options);
    if (!bulk.undo.possible) throw new ToolRefusal('conflict', bulk.undo.sentence);
    return {
      type: 'foresight',
      question: `Undo ${bulk.id} (${bulk.action} of ${bulk.result?.changed ?? bulk.count} jobs)?`,
      lines: [bulk.undo.sentence],
      data: bulkBrief(bulk),
      foreign: true,
      async act(now) {
        const { undo } = await now.client.undoBulk({ params }, now.options);
        return answer(
          [`${bulk.id} is being undone by the job ${undo.job ?? ''}.`],
          present({ id: bulk.id, job: undo.job }),
        );
      },
    };
  },
});
