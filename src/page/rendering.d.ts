/**
 * The types of rendering.js. The components' own types bring those of the browser with them, and nothing else of the house is to
 * see a `window`.
 */
import type { PageAsset } from './assets.ts';
import type { PageState } from './contract.ts';

/**
 * The page with its first state, as a whole document: readable without script, and taken over by it.
 *
 * @param assets default: those that the bundler put into the program
 */
export declare function renderPage(state: PageState, assets?: readonly PageAsset[]): string;

/** The form for who has no session. @param problem why the last try failed, in words */
export declare function renderLogin(problem?: string, assets?: readonly PageAsset[]): string;
