import { useSyncExternalStore } from 'react';
import type { TimeStyle } from '../time/zone.ts';

/** A person's settings, for all tabs of this browser. */
export interface Settings {
  readonly theme: 'system' | 'light' | 'dark';
  readonly time: TimeStyle;
  /** Single keys such as J and K; who uses a screen reader may want to switch them off. */
  readonly keys: 'on' | 'off';
}

const DEFAULTS: Settings = { theme: 'system', time: 'local', keys: 'on' };
const listeners = new Set<() => void>();
const storageKey = (name: keyof Settings): string => `millrace.${name}`;

export function setting<Name extends keyof Settings>(name: Name): Settings[Name] {
  return (localStorage.getItem(storageKey(name)) as Settings[Name] | null) ?? DEFAULTS[name];
}

export function choose<Name extends keyof Settings>(name: Name, value: Settings[Name]): void {
  if (value === DEFAULTS[name]) localStorage.removeItem(storageKey(name));
  else localStorage.setItem(storageKey(name), value);
  if (name === 'theme') applyTheme();
  for (const listener of listeners) listener();
}

export function useSetting<Name extends keyof Settings>(name: Name): Settings[Name] {
  return useSyncExternalStore(subscribe, () => setting(name));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    removeEventListener('storage', listener);
  };
}

const systemDark = matchMedia('(prefers-color-scheme: dark)');
systemDark.addEventListener('change', applyTheme);

function applyTheme(): void {
  const theme = setting('theme');
  const dark = theme === 'system' ? systemDark.matches : theme === 'dark';
  document.documentElement.dataset['theme'] = dark ? 'dark' : 'light';
}
