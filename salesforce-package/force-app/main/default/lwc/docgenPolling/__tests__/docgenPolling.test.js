import { startPolling } from 'c/docgenPolling';
import { pending, setHidden, settle } from '../../docgenTexts/__tests__/stage.cjs';

/** Timers by hand: `waits` has every wait that was asked for, `fire` ends the one that runs. */
function handTimers() {
  const timers = { waits: [], running: new Map(), isHidden: false, listeners: new Set() };
  let last = 0;
  return Object.assign(timers, {
    set(callback, milliseconds) {
      last += 1;
      timers.waits.push(milliseconds);
      timers.running.set(last, callback);
      return last;
    },
    clear: (timer) => timers.running.delete(timer),
    hidden: () => timers.isHidden,
    onVisibilityChange(callback) {
      timers.listeners.add(callback);
      return () => timers.listeners.delete(callback);
    },
    async fire() {
      const [[timer, callback]] = timers.running;
      timers.running.delete(timer);
      callback();
      await settle();
    },
    async show(visible) {
      timers.isHidden = !visible;
      for (const listener of timers.listeners) listener();
      await settle();
    },
  });
}

function polling(options = {}) {
  const timers = handTimers();
  const heard = {
    ask: jest.fn().mockResolvedValue('answer'),
    answered: jest.fn().mockReturnValue(false),
    failed: jest.fn(),
    gaveUp: jest.fn(),
    ...options,
  };
  return { timers, ...heard, poll: startPolling({ ...heard, timers }) };
}

it('waits 1 s, then a second longer each time, and never longer than 10 s', async () => {
  const { timers, ask } = polling();
  for (let round = 0; round < 12; round += 1) await timers.fire();
  expect(timers.waits.map((wait) => wait / 1000)).toEqual([
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10,
  ]);
  expect(ask).toHaveBeenCalledTimes(12);
});

it('asks at once where that is wanted', () => {
  const { ask, timers } = polling({ atOnce: true });
  expect(ask).toHaveBeenCalledTimes(1);
  expect(timers.waits).toEqual([]);
});

it('begins the next wait when the answer is there, not before', async () => {
  const slow = pending();
  const { timers, ask } = polling({ ask: jest.fn(() => slow.promise) });
  await timers.fire();
  expect(timers.running.size).toBe(0);
  expect(ask).toHaveBeenCalledTimes(1);
  slow.resolve('late');
  await settle();
  expect(timers.running.size).toBe(1);
});

it('ends when the answer says so', async () => {
  const { timers, answered, ask } = polling({ answered: jest.fn().mockReturnValue(true) });
  await timers.fire();
  expect(answered).toHaveBeenCalledWith('answer');
  expect(timers.running.size).toBe(0);
  expect(timers.listeners.size).toBe(0);
  expect(ask).toHaveBeenCalledTimes(1);
});

it('throws away the answer that comes after a stop', async () => {
  const slow = pending();
  const { timers, poll, answered, failed } = polling({ ask: () => slow.promise });
  await timers.fire();
  poll.stop();
  slow.resolve('late');
  await settle();
  expect(answered).not.toHaveBeenCalled();
  expect(failed).not.toHaveBeenCalled();
  expect(timers.running.size).toBe(0);
  expect(timers.listeners.size).toBe(0);
});

it('throws away the failure that comes after a stop', async () => {
  const slow = pending();
  const { timers, poll, failed } = polling({ ask: () => slow.promise });
  await timers.fire();
  poll.stop();
  slow.reject(new Error('late'));
  await settle();
  expect(failed).not.toHaveBeenCalled();
});

it('cannot be asked any more after a stop', async () => {
  const { poll, ask } = polling();
  poll.stop();
  poll.askNow();
  await settle();
  expect(ask).not.toHaveBeenCalled();
});

describe('a hidden tab', () => {
  it('asks nothing, and asks at once when it is seen again', async () => {
    const { timers, ask } = polling();
    await timers.show(false);
    expect(timers.running.size).toBe(0);
    expect(ask).not.toHaveBeenCalled();
    await timers.show(true);
    expect(ask).toHaveBeenCalledTimes(1);
  });

  it('begins with short waits again', async () => {
    const { timers } = polling();
    for (let round = 0; round < 4; round += 1) await timers.fire();
    await timers.show(false);
    await timers.show(true);
    expect(timers.waits.at(-1)).toBe(1000);
  });

  it('takes the answer that was under way, and waits for nothing after it', async () => {
    const slow = pending();
    const { timers, answered } = polling({ ask: () => slow.promise });
    await timers.fire();
    await timers.show(false);
    slow.resolve('answer');
    await settle();
    expect(answered).toHaveBeenCalledTimes(1);
    expect(timers.running.size).toBe(0);
  });

  it('does not ask though it should at once', async () => {
    const timers = handTimers();
    timers.isHidden = true;
    const ask = jest.fn().mockResolvedValue('answer');
    startPolling({ ask, answered: () => false, atOnce: true, timers });
    expect(ask).not.toHaveBeenCalled();
    await timers.show(true);
    expect(ask).toHaveBeenCalledTimes(1);
  });
});

describe('askNow', () => {
  it('throws away the answer from before, and asks once more after it', async () => {
    const before = pending();
    const ask = jest.fn().mockReturnValueOnce(before.promise).mockResolvedValue('after');
    const { timers, poll, answered } = polling({ ask });
    await timers.fire();
    poll.askNow();
    poll.askNow();
    expect(ask).toHaveBeenCalledTimes(1);
    before.resolve('before');
    await settle();
    expect(ask).toHaveBeenCalledTimes(2);
    expect(answered.mock.calls).toEqual([['after']]);
    expect(timers.running.size).toBe(1);
  });

  it('comes instead of the wait that runs', async () => {
    const { timers, poll, ask } = polling();
    poll.askNow();
    await settle();
    expect(ask).toHaveBeenCalledTimes(1);
    expect(timers.running.size).toBe(1);
  });
});

describe('a question that fails', () => {
  const refused = new Error('no');

  it('is asked again, and given up after the fifth in a row', async () => {
    const { timers, failed, gaveUp } = polling({ ask: jest.fn().mockRejectedValue(refused) });
    for (let round = 0; round < 4; round += 1) await timers.fire();
    expect(failed).toHaveBeenCalledTimes(4);
    expect(gaveUp).not.toHaveBeenCalled();
    await timers.fire();
    expect(gaveUp).toHaveBeenCalledWith(refused);
    expect(failed).toHaveBeenCalledTimes(4);
    expect(timers.running.size).toBe(0);
    expect(timers.listeners.size).toBe(0);
  });

  it('is forgotten with the next answer', async () => {
    const ask = jest.fn();
    for (let round = 0; round < 4; round += 1) ask.mockRejectedValueOnce(refused);
    ask.mockResolvedValueOnce('answer').mockRejectedValue(refused);
    const { timers, gaveUp } = polling({ ask });
    for (let round = 0; round < 9; round += 1) await timers.fire();
    expect(gaveUp).not.toHaveBeenCalled();
    await timers.fire();
    expect(gaveUp).toHaveBeenCalledTimes(1);
  });

  it('counts though it throws before it is asked', async () => {
    const { timers, failed } = polling({
      ask: () => {
        throw refused;
      },
    });
    await timers.fire();
    expect(failed).toHaveBeenCalledWith(refused);
  });
});

it('takes the timers and the visibility of the page unless told otherwise', async () => {
  jest.useFakeTimers();
  const ask = jest.fn().mockResolvedValue('answer');
  const poll = startPolling({ ask, answered: () => false });
  await jest.advanceTimersByTimeAsync(999);
  expect(ask).not.toHaveBeenCalled();
  await jest.advanceTimersByTimeAsync(1);
  expect(ask).toHaveBeenCalledTimes(1);
  setHidden(true);
  await jest.advanceTimersByTimeAsync(60_000);
  expect(ask).toHaveBeenCalledTimes(1);
  setHidden(false);
  expect(ask).toHaveBeenCalledTimes(2);
  poll.stop();
  setHidden(true);
  setHidden(false);
  expect(ask).toHaveBeenCalledTimes(2);
  jest.useRealTimers();
});
