/** The script and the style sheet of the page, as the bundler puts them into the program (tools/page/build-assets.ts). */

export interface PageAsset {
  /** With a hash of the content: "page-3f9a0c7be1.js". Served as `/assets/NAME`, it never changes. */
  readonly name: string;
  readonly kind: 'script' | 'style';
  /** The media type, with the character set. */
  readonly type: string;
  /** The content compressed, in base64. */
  readonly brotli: string;
  readonly gzip: string;
}

/** Where the page asks for its assets. */
export const ASSETS_PATH = '/assets/';

/** The bundler replaces this name by the assets; without the bundler there are none. */
declare const MENDLET_PAGE_ASSETS: readonly PageAsset[];

export function pageAssets(): readonly PageAsset[] {
  return typeof MENDLET_PAGE_ASSETS === 'undefined' ? [] : MENDLET_PAGE_ASSETS;
}
