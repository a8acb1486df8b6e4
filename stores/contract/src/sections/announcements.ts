import type { Announcement, Hint, Store } from '@millrace/engine';
import { expect } from 'vitest';
import { addOne, times, together } from '../build.ts';
import type { Section } from '../harness.ts';

function changed(mark: string, ...jobs: string[]): Announcement {
  return { type: 'changed', mark, jobs, more: false };
}

/** Everything that is told up to and with the announcement of this mark. The test's own time limit is the only one. */
function heardUpTo(store: Store, mark: string): Promise<Hint[]> {
  const heard: Hint[] = [];
  return new Promise((resolve) => {
    const stop = store.watch((hint) => {
      heard.push(hint);
      if (hint.type !== 'changed' || hint.mark !== mark) return;
      stop();
      resolve(heard);
    });
  });
}

function heardSoMany(store: Store, count: number): Promise<string[]> {
  const marks: string[] = [];
  return new Promise((resolve) => {
    store.watch((hint) => {
      if (hint.type === 'changed') marks.push(hint.mark);
      if (marks.length === count) resolve(marks);
    });
  });
}

/** Also what a store does that no other process hears: whoever watches in the process of the announcer. */
export const announcements: Section = {
  title: 'announcements',
  needs: ['control'],
  checks(check) {
    check('are told as they were, and nothing with them', async ({ store }) => {
      const heard = heardUpTo(store, 'last');
      const told: Announcement[] = [
        changed('first', `${store.name}-1`, `${store.name}-2`),
        { type: 'interest' },
        { type: 'changed', mark: 'Zoë "東京" \\ 👩‍👧', jobs: [], more: true },
        { type: 'interest' },
        changed('last'),
      ];
      for (const hint of told) await store.announce({ hint });
      expect(await heard).toEqual(told);
    });

    check('to everyone who watches; who throws harms nobody', async ({ store }) => {
      const silent: Hint[] = [];
      store.watch((hint) => silent.push(hint))();
      store.watch(() => {
        throw new Error('A listener of no good.');
      });
      const heard = [heardUpTo(store, 'here'), heardUpTo(store, 'here')];
      await store.announce({ hint: changed('here') });
      expect(await Promise.all(heard)).toEqual([[changed('here')], [changed('here')]]);
      expect(silent).toEqual([]);
    });

    check('in one order for all, also what is announced on hearing of one', async ({ store }) => {
      store.watch((hint) => {
        if (hint.type === 'changed' && hint.mark === 'call')
          void store.announce({ hint: changed('answer') });
      });
      const heard = heardUpTo(store, 'answer');
      await store.announce({ hint: changed('call') });
      expect(await heard).toEqual([changed('call'), changed('answer')]);
    });
  },
};

export const announcementsToAll: Section = {
  title: 'announcements to other processes',
  needs: ['notify', 'control'],
  checks(check) {
    check('reach every handle, the announcer’s too', async (world) => {
      const handles = await world.several(3);
      const id = await addOne(world.store);
      const heard = handles.map((handle) => heardUpTo(handle, 'mark'));
      await handles[0]?.announce({ hint: { type: 'interest' } });
      await handles[1]?.announce({ hint: changed('mark', id) });
      for (const hints of await Promise.all(heard))
        expect(hints.filter(({ type }) => type !== 'ready')).toEqual([
          { type: 'interest' },
          changed('mark', id),
        ]);
    });

    check('come in the same order to all, however many announce at once', async (world) => {
      const handles = await world.several(4);
      const heard = handles.map((handle) => heardSoMany(handle, 100));
      await together(handles, (handle, who) =>
        together(
          times(25, (index) => `${who}/${index}`),
          (mark) => handle.announce({ hint: changed(mark) }),
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
        await world.store.announce({ hint: changed(`${count}`, ...jobs) });
        const whole = [changed(`${count}`, ...jobs)];
        const short = [{ type: 'changed', mark: `${count}`, jobs: [], more: true }];
        // A hundred is what a busy screen shows: no store may have to fall silent about those.
        expect(count > 100 ? [whole, short] : [whole]).toContainEqual(await heard);
      }
    });
  },
};
