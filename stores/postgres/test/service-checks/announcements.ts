import { newJob, only, times, together } from '@millrace/store-contract';
import { expect } from 'vitest';
import type { Announcement } from '../../src/service.ts';
import type { PostgresStore } from '../../src/store.ts';
import { type ServiceHarness, describeService } from './harness.ts';

function changed(...jobs: string[]): Announcement {
  return { type: 'changed', jobs, more: false };
}

/** Everything that is heard up to and with the announcement that names this job first. */
function heardUpTo(store: PostgresStore, job: string | undefined): Promise<Announcement[]> {
  const heard: Announcement[] = [];
  return new Promise((resolve) => {
    const stop = store.announcements.listen((announcement) => {
      heard.push(announcement);
      if (announcement.type !== 'changed' || announcement.jobs[0] !== job) return;
      stop();
      resolve(heard);
    });
  });
}

function heardSoMany(store: PostgresStore, count: number): Promise<string[]> {
  const jobs: string[] = [];
  return new Promise((resolve) => {
    store.announcements.listen((announcement) => {
      if (announcement.type === 'changed') jobs.push(...announcement.jobs);
      if (jobs.length === count) resolve(jobs);
    });
  });
}

export function describeAnnouncements(name: string, start: () => Promise<ServiceHarness>): void {
  // Also where no other process hears: whoever listens in the process of the announcer.
  describeService(`announcements: ${name}`, start, (check) => {
    check('are told as they were, and nothing with them', async ({ store }) => {
      const heard = heardUpTo(store, 'last');
      const told: Announcement[] = [
        changed(`${store.name}-1`, `${store.name}-2`),
        { type: 'interest' },
        { type: 'changed', jobs: ['Zoë "東京" \\ 👩‍👧'], more: true },
        { type: 'interest' },
        changed('last'),
      ];
      for (const announcement of told) await store.announcements.announce({ announcement });
      expect(await heard).toEqual(told);
    });

    check('to everyone who watches; who throws harms nobody', async ({ store }) => {
      const silent: Announcement[] = [];
      store.announcements.listen((announcement) => silent.push(announcement))();
      store.announcements.listen(() => {
        throw new Error('A listener of no good.');
      });
      const heard = [heardUpTo(store, 'here'), heardUpTo(store, 'here')];
      await store.announcements.announce({ announcement: changed('here') });
      expect(await Promise.all(heard)).toEqual([[changed('here')], [changed('here')]]);
      expect(silent).toEqual([]);
    });

    check('in one order for all, also what is announced on hearing of one', async ({ store }) => {
      store.announcements.listen((announcement) => {
        if (announcement.type === 'changed' && announcement.jobs[0] === 'call')
          void store.announcements.announce({ announcement: changed('answer') });
      });
      const heard = heardUpTo(store, 'answer');
      await store.announcements.announce({ announcement: changed('call') });
      expect(await heard).toEqual([changed('call'), changed('answer')]);
    });
  });

  describeService(`announcements to other processes: ${name}`, start, (check) => {
    check('reach every handle, the announcer’s too', async (world) => {
      const handles = await world.several(3);
      const { id } = only(await world.store.enqueue({ jobs: [newJob()] }));
      const heard = handles.map((handle) => heardUpTo(handle, id));
      await handles[0]?.announcements.announce({ announcement: { type: 'interest' } });
      await handles[1]?.announcements.announce({ announcement: changed(id) });
      for (const told of await Promise.all(heard))
        expect(told).toEqual([{ type: 'interest' }, changed(id)]);
    });

    check('come in the same order to all, however many announce at once', async (world) => {
      const handles = await world.several(4);
      const heard = handles.map((handle) => heardSoMany(handle, 100));
      await together(handles, (handle, who) =>
        together(
          times(25, (index) => `${who}/${index}`),
          (job) => handle.announcements.announce({ announcement: changed(job) }),
        ),
      );
      const [first, ...others] = await Promise.all(heard);
      expect(new Set(first).size).toBe(100);
      for (const jobs of others) expect(jobs).toEqual(first);
    });

    check('are heard, even if there are too many jobs to name', async (world) => {
      const other = await world.open();
      for (const count of [1, 10, 100, 1_000, 10_000]) {
        const heard = new Promise<Announcement>((resolve) => {
          const stop = other.announcements.listen((announcement) => {
            stop();
            resolve(announcement);
          });
        });
        const jobs = times(count, (index) => `${world.store.name}-${index + 1}`);
        const whole = changed(...jobs);
        await world.store.announcements.announce({ announcement: whole });
        const short = { type: 'changed', jobs: [], more: true };
        // A hundred is what a busy screen shows: no store may have to fall silent about those.
        expect(count > 100 ? [whole, short] : [whole]).toContainEqual(await heard);
      }
    });
  });
}
