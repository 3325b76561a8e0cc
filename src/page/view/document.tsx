/** Whole documents, as the server answers them: readable without script, and taken over by it. Nothing in them is inline. */
import { h, type VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { ASSETS_PATH, type PageAsset, pageAssets } from '../assets.ts';
import type { PageState } from '../contract.ts';
import { firstView, iconOf, lookOf, titleOf } from '../page-view.ts';
import { instantWords } from '../words.ts';
import { visibleLine } from '../visible-text.ts';
import { ICON_ID, ROOT_ID, STATE_ID } from '../places.ts';
import { standingClock } from './clock.tsx';
import { NO_HANDS } from './hands.ts';
import { LoginForm } from './login.tsx';
import { Page } from './page.tsx';

/** @param assets default: what the bundler made */
export function renderPage(state: PageState, assets: readonly PageAsset[] = pageAssets()): string {
  const view = firstView(state);
  const page = renderToString(h(Page, { view, clock: standingClock(state.at), hands: NO_HANDS }));
  const still = renderToString(
    <noscript>
      <p class="banner">
        Without its script this page stands still: it is of {instantWords(state.at)}. Load it again for newer data.
      </p>
    </noscript>,
  );
  return html({
    head: <Head title={visibleLine(titleOf(view, state.at))} icon={iconOf(lookOf(view))} assets={assets} />,
    body: `${still}<div id="${ROOT_ID}">${page}</div><script type="application/json" id="${STATE_ID}">${embedded(state)}</script>`,
  });
}

/** @param problem why a session could not be opened, in words */
export function renderLogin(problem?: string, assets: readonly PageAsset[] = pageAssets()): string {
  const form = (
    <LoginForm {...(problem === undefined ? {} : { problem })} isBusy={false} hasCode={false} onToken={() => {}} />
  );
  return html({
    head: <Head title="Sign in · mendlet" icon={iconOf('stale')} assets={assets} />,
    body: `<div id="${ROOT_ID}" data-page="login">${renderToString(form)}</div>`,
  });
}

function html({ head, body }: { readonly head: VNode; readonly body: string }): string {
  return `<!doctype html>\n<html lang="en">${renderToString(head)}<body>${body}</body></html>\n`;
}

interface HeadProps {
  readonly title: string;
  readonly icon: string;
  readonly assets: readonly PageAsset[];
}

function Head({ title, icon, assets }: HeadProps): VNode {
  return (
    <head>
      <meta charset="utf-8" />
      <title>{title}</title>
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="referrer" content="no-referrer" />
      <link rel="icon" id={ICON_ID} type="image/svg+xml" href={icon} />
      {assets.map(({ kind, name }) =>
        kind === 'style' ? (
          <link key={name} rel="stylesheet" href={ASSETS_PATH + name} />
        ) : (
          <script key={name} type="module" src={ASSETS_PATH + name} />
        ),
      )}
    </head>
  );
}

/** JSON that neither ends its element nor opens another one. */
export function embedded(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
