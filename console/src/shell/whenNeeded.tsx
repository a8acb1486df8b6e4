import { type ComponentType, use } from 'react';

/** The code of a page or of a part could not be loaded: the server is gone, or has another build by now. */
export class NotLoaded extends Error {
  override readonly name = 'NotLoaded';
  readonly again: () => Promise<void>;
  constructor(cause: unknown, again: () => Promise<void>) {
    super('The code of this page could not be loaded.', { cause });
    this.again = again;
  }
}

/**
 * A component whose code comes when it is needed, or when a link to it is pointed at. The router has such a thing too, but it
 * reloads the whole page if a file does not arrive, and without a server that ends on the browser's own error page;
 * React's remembers a failure for ever.
 */
export function whenNeeded<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  let loading: Promise<void> | undefined;
  let failure: NotLoaded | undefined;
  let Loaded: ComponentType<Props> | undefined;

  async function tryToLoad(): Promise<void> {
    try {
      Loaded = await load();
      failure = undefined;
    } catch (error) {
      failure = new NotLoaded(error, preload);
      loading = undefined;
    }
  }
  const preload = (): Promise<void> => (loading ??= tryToLoad());

  function WhenNeeded(props: Props) {
    if (Loaded !== undefined) return <Loaded {...props} />;
    if (failure !== undefined) throw failure;
    use(preload());
    return null;
  }
  return Object.assign(WhenNeeded, { preload });
}

/** How often the page reloads by itself at most: of replicas with two builds, now one answers and now the other. */
const RELOAD_MS = 60_000;
const RELOADED = 'millrace.reloaded';

/** After an upgrade of the server: its files have other names, and only a new page knows them. */
export async function reloadIfUpgraded(): Promise<void> {
  const response = await fetch(import.meta.env.BASE_URL, { cache: 'no-store' });
  const own = document.querySelector('script[type=module]')?.getAttribute('src');
  const recently = Date.now() - Number(sessionStorage.getItem(RELOADED)) < RELOAD_MS;
  if (!response.ok || own == null || recently || (await response.text()).includes(own)) return;
  sessionStorage.setItem(RELOADED, String(Date.now()));
  location.reload();
}
