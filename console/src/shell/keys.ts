import { useEffect, useEffectEvent } from 'react';
import { setting } from '../theme/settings.ts';

/** Single keys, such as `j`, and those with ⌘ or Ctrl, as `mod+k`. Single ones never while somebody types, nor where they are switched off. */
export function useKeys(bindings: Readonly<Record<string, () => void>>): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const mod = event.metaKey || event.ctrlKey;
    const name = `${mod ? 'mod+' : ''}${event.key.length === 1 ? event.key.toLowerCase() : event.key}`;
    const action = bindings[name];
    if (action === undefined || event.altKey) return;
    // A key that is held down moves on through a list, and does nothing else twice.
    if (event.repeat && name !== 'j' && name !== 'k') return;
    if (!mod && (isTyping(event.target) || setting('keys') === 'off')) return;
    event.preventDefault();
    action();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent): void => press(event);
    addEventListener('keydown', listener);
    return () => removeEventListener('keydown', listener);
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable ||
    target.closest(
      'input:not([type=checkbox], [type=radio]), textarea, select, [role=textbox], dialog',
    ) !== null
  );
}

/** ⌘ where there is one. */
export const MOD = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl';
