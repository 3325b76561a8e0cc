/** A first start fetches only what `tools/bundle` names: it must be all that the sources need, in the versions that are tested. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');

type Versions = Readonly<Record<string, string>>;

function read(path: string): { readonly dependencies?: Versions; readonly devDependencies?: Versions } {
  return JSON.parse(readFileSync(join(root, path), 'utf8')) as ReturnType<typeof read>;
}

/** Packages that a source imports at run time: types are gone by then. */
function importsOf(text: string): readonly string[] {
  const found = [
    ...text.matchAll(/^(?:import|export)\s+(?!type\s)[^;]*?from '([^'.][^']*)'/gm),
    ...text.matchAll(/^import '([^'.][^']*)'/gm),
    ...text.matchAll(/\bimport\('([^'.][^']*)'\)/g),
  ].map((match) => match[1] ?? '');
  return found
    .filter((name) => !name.startsWith('node:'))
    .map((name) =>
      name
        .split('/')
        .slice(0, name.startsWith('@') ? 2 : 1)
        .join('/'),
    );
}

const bundled = read('tools/bundle/package.json').dependencies ?? {};

it('the bundle has every library that the sources import', () => {
  const needed = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !/\.(test|testing|fixtures)\.tsx?$/.test(path))
    .flatMap((path) => importsOf(readFileSync(join(root, 'src', path), 'utf8')));
  expect(needed.length).toBeGreaterThan(10);
  expect([...new Set(needed)].filter((name) => !Object.hasOwn(bundled, name))).toEqual([]);
});

it('the bundle has the versions that are tested', () => {
  const tested = read('package.json').devDependencies ?? {};
  expect(Object.fromEntries(Object.keys(bundled).map((name) => [name, tested[name]]))).toEqual(bundled);
});

it('both locks have the same files of them', () => {
  const packages = (path: string): Readonly<Record<string, { readonly integrity?: string }>> =>
    (JSON.parse(readFileSync(join(root, path), 'utf8')) as { packages: ReturnType<typeof packages> }).packages;
  const [ours, tested] = [packages('tools/bundle/package-lock.json'), packages('package-lock.json')];
  const names = Object.keys(bundled).map((name) => `node_modules/${name}`);
  const integrities = (from: typeof ours) => names.map((name) => [name, from[name]?.integrity]);
  expect(integrities(ours)).toEqual(integrities(tested));
});
