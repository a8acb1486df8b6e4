import { nearest } from '@millrace/api';
import { type Schedule, fireNow } from '@millrace/engine';
import { type Handlers, type RouteParts, ok } from '../http/handler.ts';
import { Refusal } from '../http/refusal.ts';

type Names = 'runSchedule' | 'pauseSchedule' | 'resumeSchedule' | 'deleteSchedule';

export function scheduleHandlers({
  store,
  registry,
  schedules,
}: Pick<RouteParts, 'store' | 'registry' | 'schedules'>): Handlers<Names> {
  async function require(name: string): Promise<Schedule> {
    const found = schedules().find((each) => each.name === name);
    if (found !== undefined) return found;
    if ((await store.schedules.all()).some((each) => each.name === name)) {
      throw new Refusal(
        'schedule_not_found',
        `No job file of this server declares the schedule "${name}" any more, so it cannot be run, paused or resumed. "millrace schedules delete ${name}" removes it from the list.`,
      );
    }
    throw unknown(name);
  }

  function unknown(name: string): Refusal {
    const meant = nearest(
      name,
      schedules().map((each) => each.name),
    );
    const hint = meant === null ? '' : ` Did you mean "${meant}"?`;
    return new Refusal('schedule_not_found', `There is no schedule "${name}".${hint}`);
  }

  return {
    async runSchedule({ params, caller, correlationId }) {
      const schedule = await require(params.name);
      const who = { correlationId, ...(caller !== null && { submitter: caller.name }) };
      const fired = await fireNow(store.schedules, registry, schedule, who);
      if (fired.type === 'fired')
        return { status: 201, body: { name: schedule.name, id: fired.id } };
      const why =
        fired.type === 'overlap'
          ? `its job ${fired.id} has not ended`
          : 'no worker has reported it yet';
      throw new Refusal(
        'conflict',
        `The schedule "${schedule.name}" cannot make a job now: ${why}.`,
      );
    },
    async pauseSchedule({ params, caller, body }) {
      const { name } = await require(params.name);
      if (
        await store.schedules.pause({
          name,
          by: caller?.name ?? null,
          reason: body?.reason ?? null,
        })
      )
        return ok({ name, paused: true });
      throw new Refusal('conflict', `Nothing to change: the schedule "${name}" is already paused.`);
    },
    async resumeSchedule({ params }) {
      const { name } = await require(params.name);
      if (await store.schedules.resume({ name })) return ok({ name, paused: false });
      throw new Refusal('conflict', `Nothing to change: the schedule "${name}" is not paused.`);
    },
    async deleteSchedule({ params: { name } }) {
      // Its next sync would bring it back, without its pause.
      if (schedules().some((each) => each.name === name))
        throw new Refusal(
          'conflict',
          `A job file declares the schedule "${name}": remove it there first, or pause it.`,
        );
      if (await store.schedules.remove({ name })) return ok({ name, deleted: true });
      throw unknown(name);
    },
  };
}
