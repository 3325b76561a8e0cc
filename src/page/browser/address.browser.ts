/** The open life stands in the address, so that the browser's own way back closes it, and a copied address opens it. */
import type { PageStore } from './page-store.browser.ts';

const PREFIX = '#life=';

function idInAddress(): string | undefined {
  if (!location.hash.startsWith(PREFIX)) return undefined;
  try {
    return decodeURIComponent(location.hash.slice(PREFIX.length));
  } catch {
    return undefined;
  }
}

/** @param id of the workload whose life is open; undefined: none is */
export function writeAddress(id: string | undefined): void {
  if (idInAddress() === id) return;
  history.pushState(null, '', id === undefined ? location.pathname : `${PREFIX}${encodeURIComponent(id)}`);
}

export function followAddress(store: PageStore): () => void {
  const read = (): void => {
    const id = idInAddress();
    store.change((view) => ({ ...view, openId: id }));
  };
  window.addEventListener('popstate', read);
  if (idInAddress() !== undefined) read();
  return () => window.removeEventListener('popstate', read);
}
