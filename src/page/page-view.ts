/** What is on the screen: the state of the cluster, the link to the server, and what the user chose. Pure. */
import type { PageState, PageVerdict } from './contract.ts';
import { type Filter, NO_FILTER } from './row-filter.ts';
import { ageWords } from './words.ts';

/**
 * opening: on the way, with data of just now; over: the session ended; asleep: nobody sees the tab, and it only looks now and then,
 * for its title and icon (`isHeard`: the last look was answered).
 */
export type Link =
  | { readonly kind: 'opening' | 'live' | 'over' }
  | { readonly kind: 'asleep'; readonly isHeard: boolean }
  | { readonly kind: 'lost'; readonly problem: string /** On the page's clock. */; readonly tryAt?: number };

export interface PageView {
  readonly state: PageState;
  readonly link: Link;
  readonly filter: Filter;
  /** The workload whose life is open. */
  readonly openId?: string | undefined;
  readonly isHelpOpen: boolean;
  /** The answer to the last click; `key` tells two equal ones apart. */
  readonly notice?: { readonly words: string; readonly isBad: boolean; readonly key: number } | undefined;
}

export function firstView(state: PageState): PageView {
  return { state, link: { kind: 'opening' }, filter: NO_FILTER, isHelpOpen: false };
}

/** Why a tab that is seen again is not live at once. */
export const UNSEEN = 'nobody looked at this tab';

/** Why nothing may look alive, and since when. */
export interface Deadness {
  readonly since: number;
  readonly problem: string;
}

export function deadness({ link, state }: Pick<PageView, 'link' | 'state'>): Deadness | undefined {
  if (link.kind === 'over') return { since: state.at, problem: 'the session has ended' };
  if (link.kind === 'asleep' && !link.isHeard) return { since: state.stale?.since ?? state.at, problem: UNSEEN };
  if (link.kind === 'lost') return { since: state.stale?.since ?? state.at, problem: link.problem };
  return state.stale;
}

export type Look = PageVerdict['mood'] | 'stale';

export function lookOf(view: Pick<PageView, 'link' | 'state'>): Look {
  return deadness(view) === undefined ? view.state.verdict.mood : 'stale';
}

/** Mark and word of each look; the icon draws the same. */
export const LOOKS: Readonly<Record<Look, { readonly glyph: string; readonly word: string }>> = {
  ok: { glyph: '✓', word: 'well' },
  healing: { glyph: '↻', word: 'healing' },
  troubled: { glyph: '!', word: 'trouble' },
  stopped: { glyph: '✗', word: 'gave up' },
  stale: { glyph: '?', word: 'no live data' },
};

/** The title of the tab. @param now wall ms */
export function titleOf(view: Pick<PageView, 'link' | 'state'>, now: number): string {
  const { cluster, verdict } = view.state;
  const dead = deadness(view);
  const words = dead === undefined ? verdict.text : `no live data for ${ageWords(now - dead.since)}`;
  return `${LOOKS[lookOf(view)].glyph} ${words} · ${cluster}`;
}

/** A picture for each look, with a form of its own: colours are never alone. */
const ICONS: Readonly<Record<Look, string>> = {
  ok: "<circle cx='16' cy='16' r='15' fill='#1f8a54'/><path d='M9 16.5l5 5 9-10' fill='none' stroke='#fff' stroke-width='3.5'/>",
  healing:
    "<circle cx='16' cy='16' r='15' fill='#2a66d0'/><path d='M22.5 12A8 8 0 1 0 24 17M23 6v6.5h-6.5' fill='none' stroke='#fff' stroke-width='3.2'/>",
  troubled:
    "<path d='M16 1.5L31 29.5H1z' fill='#d18a00'/><path d='M16 11v9.5M16 23v3.5' fill='none' stroke='#fff' stroke-width='3.5'/>",
  stopped:
    "<path d='M10 1h12l9 9v12l-9 9H10l-9-9V10z' fill='#cb3a31'/><path d='M10.5 10.5l11 11M21.5 10.5l-11 11' fill='none' stroke='#fff' stroke-width='3.5'/>",
  stale:
    "<circle cx='16' cy='16' r='13.5' fill='none' stroke='#868b94' stroke-width='3' stroke-dasharray='5 3.5'/><path d='M16 9v9M16 20.5v3.5' fill='none' stroke='#868b94' stroke-width='3.5'/>",
};

/** The icon as an address that carries the whole picture. */
export function iconOf(look: Look): string {
  const svg = `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'>${ICONS[look]}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
