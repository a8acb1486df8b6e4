import type { Run } from '@millrace/queries/contract';
import type { Context } from '../context.ts';
import { BY_STATE } from '../runs/follow.ts';
import { watchRun } from '../runs/watch.ts';
import { runLine } from './render/run.ts';

/** What Marketing Cloud says is shown too: a run is mostly spent waiting for it. */
export function watchQuery(context: Context, first: Run): Promise<Run> {
  const { client, err, world } = context;
  const params = { id: first.id };
  return watchRun<Run>(context, first, {
    ...BY_STATE,
    poll: () => client.getRun({ params }),
    events: (options) => client.runEvents({ params }, options),
    lines: (run) => [runLine(run, world.now(), err.paint)],
    log({ id, status, mceStatus, trouble = null, waitsFor = null }) {
      const said = trouble ?? waitsFor ?? mceStatus;
      return [['run', said === null ? `${id} ${status}` : `${id} ${status} (${said})`]];
    },
  });
}
