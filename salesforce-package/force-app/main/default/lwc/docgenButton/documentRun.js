import cancelDocument from '@salesforce/apex/DocgenController.cancel';
import generate from '@salesforce/apex/DocgenController.generate';
import readStatus from '@salesforce/apex/DocgenController.status';
import retryDocument from '@salesforce/apex/DocgenController.retry';
import { sentenceOf } from 'c/docgenErrors';
import { startPolling } from 'c/docgenPolling';
import { stateOf } from 'c/docgenStatus';

/**
 * `phase` is where we are: `idle` (nothing asked for yet), `starting` (the call that starts it is under way, or the
 * first status is), `following` (its status is polled), `lost` (the status could not be read several times), `over`.
 */
export const NO_RUN = Object.freeze({
  phase: 'idle',
  documentId: undefined,
  document: undefined,
  reused: false,
  canceling: false,
  unsure: false,
  problem: undefined,
  startedAt: 0,
});

/**
 * One document from the wish to its end. `changed` gets the whole picture each time something in it changes; `news`
 * is called when a list of documents is out of date, `ended` with a document that has come to its end.
 *
 * `turn` grows with each start and with `forget`: what an older turn still brings is thrown away.
 */
export function documentRun({ changed, news, ended }) {
  let run = NO_RUN;
  let turn = 0;
  let attached = false;
  let polling;

  function show(changes) {
    run = { ...run, ...changes };
    changed(run);
  }

  function isBusy() {
    return run.phase === 'starting' || run.phase === 'following';
  }

  function stopPolling() {
    polling?.stop();
    polling = undefined;
  }

  async function start(call) {
    if (isBusy()) return;
    const before = run;
    const mine = ++turn;
    stopPolling();
    show({ ...NO_RUN, phase: 'starting', startedAt: Date.now() });
    try {
      const { documentId, status, reused } = await call();
      if (mine !== turn) return;
      news();
      // An end is shown together with its file or its reason, so the whole status is read first.
      const { over } = stateOf(status);
      if (over) show({ documentId, reused });
      else show({ documentId, reused, phase: 'following', document: { id: documentId, status } });
      follow({ atOnce: over || reused });
    } catch (error) {
      if (mine === turn) show({ ...before, problem: sentenceOf(error) });
    }
  }

  function follow({ atOnce }) {
    stopPolling();
    if (!attached) return;
    const { documentId } = run;
    polling = startPolling({
      atOnce,
      ask: () => readStatus({ documentId }),
      answered: take,
      failed: () => show({ unsure: true }),
      gaveUp: (error) => show({ phase: 'lost', unsure: false, problem: sentenceOf(error) }),
    });
  }

  function take(document) {
    const { over } = stateOf(document.status);
    if (over) show({ document, phase: 'over', unsure: false, canceling: false });
    else show({ document, phase: 'following', unsure: false });
    if (over) {
      news();
      ended(document);
    }
    return over;
  }

  return {
    generate: (wish) =>
      start(async () => {
        const { documentId, status, reused } = await generate(wish);
        return { documentId, status, reused: reused === true };
      }),

    retry() {
      const { documentId } = run;
      return start(async () => {
        await retryDocument({ documentId });
        return { documentId, status: 'QUEUED', reused: false };
      });
    },

    /** A document that is being made is only asked to stop: it may still come to a good end. */
    async cancel() {
      if (run.canceling) return;
      const mine = turn;
      show({ canceling: true, problem: undefined });
      try {
        await cancelDocument({ documentId: run.documentId });
      } catch (error) {
        if (mine === turn) show({ canceling: false, problem: sentenceOf(error) });
      }
      if (mine === turn) polling?.askNow();
    },

    checkAgain() {
      show({ phase: 'following', problem: undefined });
      follow({ atOnce: true });
    },

    /** The component is on the page (again). */
    attach() {
      attached = true;
      if (isBusy() && run.documentId) follow({ atOnce: true });
    },

    /** The component is off the page. What was started goes on in Salesforce, and is followed again on return. */
    detach() {
      attached = false;
      stopPolling();
    },

    /** For another record. */
    forget() {
      turn += 1;
      stopPolling();
      show(NO_RUN);
    },
  };
}
