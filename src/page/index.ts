/**
 * page: the live page. The door is for its server: the wire types, whole documents, and the assets that these ask for. What runs
 * in the browser begins in browser/main.browser.tsx.
 */
export { ASSETS_PATH, type PageAsset, pageAssets } from './assets.ts';
export type * from './contract.ts';
export { ACTS, BEAT_MS } from './contract.ts';
export { renderLogin, renderPage } from './rendering.js';
