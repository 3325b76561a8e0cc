/** The page's HTML and files. Nothing of it is unpacked before somebody asks for it. */
import { gunzipSync } from 'node:zlib';
import type { Asset, PageFiles } from '../dashboard/index.ts';
import { ASSETS_PATH, type PageAsset, pageAssets, renderLogin, renderPage } from '../page/index.ts';

export function pageFiles(): PageFiles {
  // By name and encoding; unpacked once.
  const unpacked = new Map<string, Asset>();
  return {
    login: () => renderLogin(),
    page: (state) => renderPage(state),
    asset: (path, accept) => {
      if (!path.startsWith(ASSETS_PATH)) return undefined;
      const name = path.slice(ASSETS_PATH.length);
      const asset = pageAssets().find((each) => each.name === name);
      if (asset === undefined) return undefined;
      const encoding = bestOf(accept);
      const key = `${encoding} ${name}`;
      const known = unpacked.get(key) ?? unpack(asset, encoding);
      unpacked.set(key, known);
      return known;
    },
  };
}

type Encoding = 'br' | 'gzip' | 'identity';

function bestOf(accept: string): Encoding {
  const offered = accept
    .toLowerCase()
    .split(',')
    .map((part) => part.trim());
  const takes = (name: string): boolean =>
    offered.some((each) => each === name || (each.startsWith(`${name};`) && !/;\s*q=0(?:\.0*)?$/.test(each)));
  if (takes('br')) return 'br';
  return takes('gzip') ? 'gzip' : 'identity';
}

function unpack({ type, brotli, gzip }: PageAsset, encoding: Encoding): Asset {
  if (encoding === 'br') return { type, encoding, body: Buffer.from(brotli, 'base64') };
  const zipped = Buffer.from(gzip, 'base64');
  return encoding === 'gzip' ? { type, encoding, body: zipped } : { type, body: gunzipSync(zipped) };
}
