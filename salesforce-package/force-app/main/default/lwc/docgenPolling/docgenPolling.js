/** 1 s, 2 s, 3 s … 10 s: most documents take a second or two; a long queue should not cost a call each second. */
const FIRST_WAIT = 1000;
const LONGER_BY = 1000;
const LONGEST_WAIT = 10_000;

/** With the waits above five failures in a row are about 15 s: a session that ended or a network that is away. */
const MOST_FAILURES = 5;

/** Timers and the tab's visibility, as the page has them. Tests bring their own. */
const pageTimers = {
  set: (callback, milliseconds) => setTimeout(() => callback(), milliseconds),
  clear: (timer) => clearTimeout(timer),
  hidden: () => document.visibilityState === 'hidden',
  onVisibilityChange(callback) {
    document.addEventListener('visibilitychange', callback);
    return () => document.removeEventListener('visibilitychange', callback);
  },
};

/**
 * Asks again and again, with longer waits, until `answered` returns true (it is over), `gaveUp` was called or
 * someone stops it.
 *
 * - The next wait begins when the answer is there, so there are never two questions at once.
 * - A hidden tab asks nothing. When it is seen again, it asks at once and the waits begin again.
 * - `askNow` is for someone who has just changed something: an answer under way is from before, so it is thrown
 *   away and the question is asked once more.
 * - After `stop` nothing is called any more, not even with an answer that was under way.
 *
 * `failed` hears of every question that failed; it is asked again after the next wait, until the fifth in a row.
 */
export function startPolling({
  ask,
  answered,
  failed,
  gaveUp,
  atOnce = false,
  timers = pageTimers,
}) {
  let stopped = false;
  let asking = false;
  let outdated = false;
  let timer;
  let wait = FIRST_WAIT;
  let failures = 0;

  const unlisten = timers.onVisibilityChange(() => {
    if (timers.hidden()) clearTimer();
    else askNow();
  });

  function clearTimer() {
    if (timer !== undefined) timers.clear(timer);
    timer = undefined;
  }

  function stop() {
    stopped = true;
    clearTimer();
    unlisten();
  }

  function askLater() {
    if (timers.hidden()) return;
    timer = timers.set(() => {
      timer = undefined;
      void askOnce();
    }, wait);
    wait = Math.min(wait + LONGER_BY, LONGEST_WAIT);
  }

  function askNow() {
    if (stopped) return;
    wait = FIRST_WAIT;
    failures = 0;
    if (asking) {
      outdated = true;
      return;
    }
    clearTimer();
    void askOnce();
  }

  async function askOnce() {
    if (stopped || timers.hidden()) return;
    asking = true;
    outdated = false;
    const outcome = await answerTo(ask);
    asking = false;
    if (stopped) return;
    if (outdated) void askOnce();
    else if ('error' in outcome) takeFailure(outcome.error);
    else takeAnswer(outcome.answer);
  }

  function takeAnswer(answer) {
    failures = 0;
    if (answered(answer)) stop();
    else if (!stopped && !asking && timer === undefined) askLater();
  }

  function takeFailure(error) {
    failures += 1;
    if (failures >= MOST_FAILURES) {
      stop();
      gaveUp?.(error);
      return;
    }
    failed?.(error);
    askLater();
  }

  if (atOnce) void askOnce();
  else askLater();
  return { askNow, stop };
}

async function answerTo(ask) {
  try {
    return { answer: await ask() };
  } catch (error) {
    return { error };
  }
}
