/** The browser's half of the page: takes over what the server drew, and keeps it live. */
import { hydrate, render } from 'preact';
import type { PageState } from '../contract.ts';
import { firstView } from '../page-view.ts';
import { ROOT_ID, STATE_ID } from '../places.ts';
import { LiveApp } from './live-app.browser.tsx';
import { LoginApp } from './login-app.browser.tsx';
import { takeCode } from './login-code.browser.ts';

const root = document.querySelector<HTMLElement>(`#${ROOT_ID}`);
// Before anything else: a code must not stay in the address.
const code = takeCode();
if (root !== null) start(root);

function start(root: HTMLElement): void {
  const state = document.querySelector(`#${STATE_ID}`);
  if (state === null) hydrate(<LoginApp code={code} />, root);
  else if (code === undefined)
    hydrate(<LiveApp first={firstView(JSON.parse(state.textContent ?? '') as PageState)} />, root);
  else {
    // A link is meant to be used also where an older session is open.
    root.replaceChildren();
    render(<LoginApp code={code} />, root);
  }
}
