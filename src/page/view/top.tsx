/** The head of the page: whose cluster it is, how alive the data are, the verdict, and what healing has done. */
import type { VNode } from 'preact';
import { useContext } from 'preact/hooks';
import type { PageState, Recovery } from '../contract.ts';
import { type Deadness, deadness, type PageView } from '../page-view.ts';
import { instantWords, machineInstant, spanWords } from '../words.ts';
import { Ago, Countdown } from './clock.tsx';
import { HandsContext } from './hands.ts';
import { Glyph, Text } from './parts.tsx';

export function TopLine({ view }: { readonly view: PageView }): VNode {
  const hands = useContext(HandsContext);
  const { state } = view;
  return (
    <header class="top">
      <p class="brand">
        <strong>mendlet</strong>
        <span class="cluster">
          <Text text={state.cluster} />
        </span>
      </p>
      <p class="who">
        <Pulse view={view} />
        {state.mayWrite ? null : <span class="tag">read-only</span>}
        <span class="you" title="who you are in this cluster">
          <Text text={state.you} />
        </span>
        <button type="button" class="plain needs-script" onClick={() => hands.showHelp(true)} aria-keyshortcuts="?">
          Help
        </button>
        <button type="button" class="plain needs-script" onClick={() => hands.logOut()}>
          Sign out
        </button>
      </p>
    </header>
  );
}

/** Whether what is shown is of now. */
function Pulse({ view }: { readonly view: PageView }): VNode {
  if (deadness(view) !== undefined) return <span class="pulse is-stale">not live</span>;
  return <span class={`pulse is-${view.link.kind}`}>{view.link.kind === 'live' ? 'live' : 'connecting'}</span>;
}

/** The one line above all. It is read out when it changes. */
export function Verdict({ view }: { readonly view: PageView }): VNode {
  const dead = deadness(view);
  const { verdict } = view.state;
  const parts = verdict.text.split('; ');
  return (
    <div class={`verdict is-${dead === undefined ? verdict.mood : 'stale'}`}>
      <span class="seal">
        <Glyph mark={dead === undefined ? verdict.mood : 'stale'} />
      </span>
      <h1 aria-live="polite" aria-atomic="true" id="verdict">
        {dead === undefined ? null : <span class="past">Before the silence: </span>}
        {parts.map((part, index) => (
          <span key={index} class="part">
            <Text text={part} />
            {index < parts.length - 1 ? '; ' : ''}
          </span>
        ))}
      </h1>
    </div>
  );
}

/** Says from when the data is, as soon as it is not of now. */
export function StaleBanner({ view }: { readonly view: PageView }): VNode {
  const dead = deadness(view);
  return (
    <div role="status" class="banner-place">
      {dead === undefined ? null : <Banner dead={dead} view={view} />}
    </div>
  );
}

function Banner({ dead, view }: { readonly dead: Deadness; readonly view: PageView }): VNode {
  const hands = useContext(HandsContext);
  const { link } = view;
  return (
    <div class="banner">
      <Glyph mark="stale" />
      <p>
        <strong>
          This is how it was at <time dateTime={machineInstant(dead.since)}>{instantWords(dead.since)}</time>
        </strong>
        {/* What changes each second is not read out each second. */}
        <span aria-hidden="true">
          , <Ago at={dead.since} />
        </span>
        : <Text text={dead.problem} />
        <span aria-hidden="true">
          {link.kind === 'lost' && link.tryAt !== undefined ? (
            <>
              ; next try <Countdown at={link.tryAt} />
            </>
          ) : null}
        </span>
      </p>
      {link.kind === 'over' ? (
        <a class="button" href="/">
          Sign in again
        </a>
      ) : null}
      {link.kind === 'lost' ? (
        <button type="button" class="button" onClick={() => hands.reconnect()}>
          Try now
        </button>
      ) : null}
    </div>
  );
}

/** What healing has done, over a day and a week. */
export function Figures({ state }: { readonly state: PageState }): VNode {
  return (
    <section class="figures" aria-label="Healing">
      <Span title="Last 24 hours" recovery={state.day} />
      <Span title="Last 7 days" recovery={state.week} />
    </section>
  );
}

export const RECOVERY_MEANS =
  'From a death until its pod is ready again, with all waits between. A pod that dies again within a minute has not recovered: its time goes on.';

function Span({ title, recovery }: { readonly title: string; readonly recovery: Recovery }): VNode {
  const { healed, healedAlone, meanMs, p90Ms } = recovery;
  return (
    <div class="span">
      <h2>{title}</h2>
      <dl>
        <div>
          <dt>healed without you</dt>
          <dd>
            <b>{healedAlone}</b>
            {healed === 0 ? null : <small> of {healed}</small>}
          </dd>
        </div>
        <div>
          <dt title={RECOVERY_MEANS}>mean recovery</dt>
          <dd>
            <b>{meanMs === undefined ? '–' : spanWords(meanMs)}</b>
          </dd>
        </div>
        <div>
          <dt title="nine of ten took at most so long">p90 recovery</dt>
          <dd>
            <b>{p90Ms === undefined ? '–' : spanWords(p90Ms)}</b>
          </dd>
        </div>
      </dl>
    </div>
  );
}
