/** What is on the screen, changed at most once a frame. */
import type { StreamMessage } from '../contract.ts';
import { applied } from '../feed.ts';
import { NOTICE_MS } from '../limits.ts';
import { iconOf, type Link, lookOf, type PageView, titleOf } from '../page-view.ts';
import { ICON_ID } from '../places.ts';
import type { PageClock } from '../view/clock.tsx';

export class PageStore implements PageClock {
  #view: PageView;
  #waiting: ((view: PageView) => PageView)[] = [];
  #frame: number | undefined;
  /** What the server's clock is ahead of the browser's, ms. */
  #ahead: number;
  #notices = 0;
  readonly #ticks = new Set<() => void>();
  readonly #watchers = new Set<(view: PageView) => void>();

  constructor(first: PageView) {
    this.#view = first;
    this.#ahead = first.state.at - Date.now();
    window.setInterval(() => this.#tick(), 1_000);
  }

  get view(): PageView {
    return this.#view;
  }

  now(): number {
    return Date.now() + this.#ahead;
  }

  everySecond(tick: () => void): () => void {
    this.#ticks.add(tick);
    return () => this.#ticks.delete(tick);
  }

  watch(watcher: (view: PageView) => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** Messages of the stream: the page is live by them. */
  apply(messages: readonly StreamMessage[], link: Link = { kind: 'live' }): void {
    const last = messages.at(-1);
    if (last !== undefined) this.#ahead = (last.type === 'full' ? last.state.at : last.at) - Date.now();
    this.change((view) => ({ ...view, state: messages.reduce(applied, view.state), link }));
  }

  /** The revision with all that waits to be drawn. */
  revision(): number {
    this.#flush();
    return this.#view.state.revision;
  }

  /** Draws the change with the next frame. A hidden tab has no frames: there it is drawn at once. */
  change(change: (view: PageView) => PageView): void {
    this.#waiting.push(change);
    if (document.hidden) this.#flush();
    else this.#frame ??= requestAnimationFrame(() => this.#flush());
  }

  /** Shows an answer for some seconds. */
  tell(words: string, isBad = false): void {
    this.#notices += 1;
    const notice = { words, isBad, key: this.#notices };
    this.change((view) => ({ ...view, notice }));
    window.setTimeout(
      () => this.change((view) => (view.notice === notice ? { ...view, notice: undefined } : view)),
      NOTICE_MS,
    );
  }

  #flush(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
    const changes = this.#waiting;
    if (changes.length === 0) return;
    this.#waiting = [];
    const before = this.#view;
    this.#view = changes.reduce((view, change) => change(view), before);
    if (this.#view === before) return;
    this.#mark();
    for (const watcher of this.#watchers) watcher(this.#view);
  }

  #tick(): void {
    if (document.hidden) return;
    for (const tick of this.#ticks) tick();
    this.#mark();
  }

  /** The tab's title and icon say what the verdict says. */
  #mark(): void {
    const title = titleOf(this.#view, this.now());
    if (document.title !== title) document.title = title;
    const icon = document.querySelector<HTMLLinkElement>(`#${ICON_ID}`);
    const href = iconOf(lookOf(this.#view));
    if (icon !== null && icon.getAttribute('href') !== href) icon.setAttribute('href', href);
  }
}
