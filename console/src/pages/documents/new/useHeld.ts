import { useEffect, useRef, useState } from 'react';

/**
 * Which rows stay in the group where they are, whatever is decided in them: those that have the focus. Moved to another group, a row would
 * lose the focus in the middle of a word. One that was left goes to its place when nothing is pressed any more: a button that moves
 * between mouse down and mouse up is not clicked.
 */
export interface Held<Group> {
  groupOf(path: string): Group | undefined;
  hold(path: string, group: Group): void;
  /** Called when something in the row has lost the focus. */
  left(path: string, row: HTMLElement): void;
}

export function useHeld<Group>(): Held<Group> {
  const [held, setHeld] = useState<ReadonlyMap<string, Group>>(new Map());
  const isPressed = useRef(false);
  useEffect(() => {
    const press = (event: PointerEvent): void => {
      isPressed.current = event.type === 'pointerdown';
    };
    const types = ['pointerdown', 'pointerup', 'pointercancel'] as const;
    for (const type of types) addEventListener(type, press, true);
    return () => {
      for (const type of types) removeEventListener(type, press, true);
    };
  }, []);
  const release = (path: string): void =>
    setHeld((before) => new Map([...before].filter(([each]) => each !== path)));
  return {
    groupOf: (path) => held.get(path),
    hold: (path, group) =>
      setHeld((before) => (before.has(path) ? before : new Map(before).set(path, group))),
    left(path, row) {
      // A click comes right after the pointer is up, and an effect may have brought the focus back.
      const settle = (): void =>
        void setTimeout(() => row.contains(document.activeElement) || release(path));
      if (isPressed.current) addEventListener('pointerup', settle, { once: true });
      else settle();
    },
  };
}
