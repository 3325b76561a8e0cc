/** What browsers load: small, and without the doors that a strict policy closes. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import * as esbuild from 'esbuild';
import { expect, it } from 'vitest';
import { buildPage, pageDefines } from './build-assets.ts';

const root = resolve(import.meta.dirname, '../..');
const MAX_BYTES = 60 * 1024;

const { assets, inputs } = await buildPage(esbuild, root);

it('all of it is below 60 KiB, compressed in either way', () => {
  for (const form of ['brotli', 'gzip'] as const) {
    const bytes = assets.map((asset) => Buffer.from(asset[form], 'base64').length);
    expect(Math.min(...bytes)).toBeGreaterThan(1_000);
    expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThan(MAX_BYTES);
  }
});

it('both forms hold the same content, and the name follows it', async () => {
  expect(assets.map(({ kind }) => kind).toSorted()).toEqual(['script', 'style']);
  for (const { brotli, gzip, name } of assets) {
    expect(brotliDecompressSync(Buffer.from(brotli, 'base64'))).toEqual(gunzipSync(Buffer.from(gzip, 'base64')));
    expect(name).toMatch(/^page-[0-9a-f]{12}\.(js|css)$/);
  }
  const again = await buildPage(esbuild, root);
  expect(again.assets.map(({ name }) => name)).toEqual(assets.map(({ name }) => name));
  expect(JSON.parse(pageDefines(assets)['MENDLET_PAGE_ASSETS'] ?? '')).toEqual(assets);
});

it('the page and Preact are in them, and nothing else of the house', () => {
  const others = inputs.filter((path) => !/\/src\/page\/|\/node_modules\/preact\//.test(path));
  expect(others).toEqual([]);
  expect(inputs.length).toBeGreaterThan(20);
});

it('no code writes HTML, evaluates text, or styles inline', () => {
  const forbidden =
    /\b(dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc|eval|DOMParser|createContextualFragment)\b|new Function|\bstyle=|\.style\b|\bon\w+="/;
  const folder = join(root, 'src/page');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => /\.tsx?$/.test(path) && !path.includes('.test.'),
  );
  expect(files.length).toBeGreaterThan(20);
  for (const path of files)
    expect(`${path}: ${forbidden.exec(readFileSync(join(folder, path), 'utf8'))?.[0]}`).toBe(`${path}: undefined`);
});
