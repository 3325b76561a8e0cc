/** What draws whole documents, behind types that know no browser (rendering.d.ts). */
export { renderLogin, renderPage } from './view/document.tsx';
