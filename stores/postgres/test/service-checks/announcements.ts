import { newJob, only, times, together } from '@millrace/store-contract';
import { expect } from 'vitest';
import type { Announcement } from '../../src/service.ts';
import type { PostgresStore } from '../../src/store.ts';
import { type ServiceHarness, describeService } from './harness.ts';

function changed(mark: string, ...jobs: string[]): Announcement {
  return { type: 'changed', mark, jobs, more: false };
}

/** Everything that is announced up to and with this mark. The test's own time limit is the only one. */
function heardUpTo(store: PostgresStore, mark: string): Promise<Announcement[]> {
  const heard: Announcement[] = [];
  return new Promise((resolve) => {
    const stop = store.announcements.listen((announcement) => {
      heard.push(announcement);
      if (announcement.type !== 'changed' || announcement.mark !== mark) return;
      stop();
      resolve(heard);
    });
  });
}

function heardSoMany(store: PostgresStore, count: number): Promise<string[]> {
  const marks: string[] = [];
  return new Promise((resolve) => {
    store.announcements.listen((announcement) => {
      if (announcement.type === 'changed') marks.push(announcement.mark);
      if (marks.length === count) resolve(marks);
    });
  });
}

export function describeAnnouncements(name: string, start: () => Promise<ServiceHarness>): void {
  // Also where no other process hears: whoever listens in the process of the announcer.
  describeService(`announcements: ${name}`, start, (check) => {
    check('are told as they were, and nothing with them', async ({ store }) => {
      const heard = heardUpTo(store, 'last');
      const told: Announcement[] = [
        changed('first', `${store.name}-1`, `${store.name}-2`),
        { type: 'interest' },
        { type: 'changed', mark: 'Zoë "東京" \\ 👩‍👧', jobs: [], more: true },
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
        if (announcement.type === 'changed' && announcement.mark === 'call')
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
      const heard = handles.map((handle) => heardUpTo(handle, 'mark'));
      await handles[0]?.announcements.announce({ announcement: { type: 'interest' } });
      await handles[1]?.announcements.announce({ announcement: changed('mark', id) });
      for (const told of await Promise.all(heard))
        expect(told).toEqual([{ type: 'interest' }, changed('mark', id)]);
    });

    check('come in the same order to all, however many announce at once', async (world) => {
      const handles = await world.several(4);
      const heard = handles.map((handle) => heardSoMany(handle, 100));
      await together(handles, (handle, who) =>
        together(
          times(25, (index) => `${who}/${index}`),
          (mark) => handle.announcements.announce({ announcement: changed(mark) }),
        ),
      );
      const [first, ...others] = await Promise.all(heard);
      expect(new Set(first).size).toBe(100);
      for (const marks of others) expect(marks).toEqual(first);
    });

    check('keep their mark, even if there are too many jobs to name', async (world) => {
      const other = await world.open();
      for (const count of [1, 10, 100, 1_000, 10_000]) {
        const heard = heardUpTo(other, `${count}`);
        const jobs = times(count, (index) => `${world.store.name}-${index + 1}`);
        await world.store.announcements.announce({ announcement: changed(`${count}`, ...jobs) });
        const whole = [changed(`${count}`, ...jobs)];
        const short = [{ type: 'changed', mark: `${count}`, jobs: [], more: true }];
        // A hundred is what a busy screen shows: no store may have to fall silent about those.
        expect(count > 100 ? [whole, short] : [whole]).toContainEqual(await heard);
      }
    });
  });
}
