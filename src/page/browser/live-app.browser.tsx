/** The page, alive: joins the store, the stream, the keys and the address to what is drawn. */
import type { VNode } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { GLANCE_MS } from '../limits.ts';
import { type Link, type PageView, UNSEEN } from '../page-view.ts';
import type { Hands } from '../view/hands.ts';
import { LIFE_ID } from '../view/life.tsx';
import { Page } from '../view/page.tsx';
import { followKeys } from './keys.browser.ts';
import { followAddress, writeAddress } from './address.browser.ts';
import { PageStore } from './page-store.browser.ts';
import { logOut, pageServer, SessionOver } from './server.browser.ts';
import { PageStream } from './stream.browser.ts';

export function LiveApp({ first }: { readonly first: PageView }): VNode {
  const { store, stream, hands } = useMemo(() => partsOf(first), []);
  const [view, setView] = useState(first);
  useEffect(() => {
    const ends = [
      store.watch(setView),
      followAddress(store),
      followKeys(store, hands),
      followVisibility(store, stream),
    ];
    return () => {
      for (const end of ends) end();
      stream.close();
    };
  }, []);
  useEffect(() => {
    if (view.openId !== undefined) document.querySelector<HTMLElement>(`#${LIFE_ID}`)?.focus({ preventScroll: true });
  }, [view.openId]);
  useEffect(() => {
    const help = document.querySelector<HTMLDialogElement>('#help');
    if (view.isHelpOpen && help?.open === false) help.showModal();
    if (!view.isHelpOpen && help?.open === true) help.close();
  }, [view.isHelpOpen]);
  return <Page view={view} clock={store} hands={hands} />;
}

interface Parts {
  readonly store: PageStore;
  readonly stream: PageStream;
  readonly hands: Hands;
}

function partsOf(first: PageView): Parts {
  const store = new PageStore(first);
  const stream = new PageStream({
    revision: () => store.revision(),
    messages: (messages) => store.apply(messages),
    lost: (problem, retryInMs) =>
      store.change((view) => ({
        ...view,
        link: { kind: 'lost', problem, ...(retryInMs === undefined ? {} : { tryAt: store.now() + retryInMs }) },
      })),
    over: () => store.change((view) => ({ ...view, link: { kind: 'over' } })),
  });
  return { store, stream, hands: handsOf(store, stream) };
}

function handsOf(store: PageStore, stream: PageStream): Hands {
  const server = pageServer();
  return {
    server: {
      ...server,
      act: (act) =>
        server.act(act).then(
          (words) => {
            store.tell(words);
            return words;
          },
          (error: unknown) => {
            if (error instanceof SessionOver) store.change((view) => ({ ...view, link: { kind: 'over' } }));
            store.tell(error instanceof Error ? error.message : String(error), true);
            throw error;
          },
        ),
    },
    choose: (filter) => store.change((view) => ({ ...view, filter: { ...view.filter, ...filter } })),
    openLife: (id) => openLife(store, id),
    showHelp: (isHelpOpen) => store.change((view) => ({ ...view, isHelpOpen })),
    focusedRow: () =>
      document.activeElement instanceof HTMLElement ? document.activeElement.dataset['row'] : undefined,
    focusRow: (id) => rowElement(id)?.focus(),
    refocusRow: (id) => rowElement(id)?.focus({ preventScroll: true }),
    copy: (text) => {
      navigator.clipboard.writeText(text).then(
        () => store.tell(`Copied: ${text}`),
        () => store.tell(`The browser does not let this page copy. The command: ${text}`, true),
      );
    },
    reconnect: () => {
      stream.close();
      stream.open();
    },
    logOut: () => {
      logOut().then(
        () => location.replace('/'),
        (error: unknown) => store.tell(error instanceof Error ? error.message : String(error), true),
      );
    },
  };
}

/** Opens or closes a life. What was closed gives the focus back to its row. */
function openLife(store: PageStore, id: string | undefined): void {
  const before = store.view.openId;
  if (before === id) return;
  writeAddress(id);
  store.change((view) => ({ ...view, openId: id }));
  if (id === undefined && before !== undefined) requestAnimationFrame(() => rowElement(before)?.focus());
}

function rowElement(id: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`);
}

/**
 * A tab that nobody sees has no stream: browsers open six connections to one host, and other tabs need them. It looks once a minute,
 * so that its title and its icon say how things are. Seen again, it goes on from where it was.
 */
function followVisibility(store: PageStore, stream: PageStream): () => void {
  let timer: number | undefined;
  const change = (link: Link): void => store.change((view) => (view.link.kind === 'over' ? view : { ...view, link }));
  const glance = (): void => {
    if (store.view.link.kind !== 'asleep') return;
    stream.glance().then(
      (messages) => {
        if (store.view.link.kind === 'asleep') store.apply(messages, { kind: 'asleep', isHeard: true });
      },
      (error: unknown) => {
        if (store.view.link.kind === 'asleep')
          change(error instanceof SessionOver ? { kind: 'over' } : { kind: 'asleep', isHeard: false });
      },
    );
  };
  const look = (): void => {
    window.clearInterval(timer);
    if (store.view.link.kind === 'over') return;
    if (document.hidden) {
      stream.close();
      change({ kind: 'asleep', isHeard: ['live', 'opening'].includes(store.view.link.kind) });
      timer = window.setInterval(glance, GLANCE_MS);
    } else {
      change({ kind: 'lost', problem: UNSEEN });
      stream.open();
    }
  };
  const online = (): void => {
    if (!document.hidden && store.view.link.kind === 'lost') stream.open();
  };
  document.addEventListener('visibilitychange', look);
  window.addEventListener('online', online);
  if (document.hidden) look();
  else stream.open();
  return () => {
    window.clearInterval(timer);
    document.removeEventListener('visibilitychange', look);
    window.removeEventListener('online', online);
  };
}
