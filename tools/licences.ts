/** Collects the licences of the packages that have code in a bundle, as their terms require. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface PackageInfo {
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

/**
 * @param inputs absolute paths of all files in the bundle
 * @returns one text with name, version, licence and notices of each package among them
 * @throws when a package has neither a licence file nor a copyright notice in its sources: it must be looked at
 */
export function collectLicences(inputs: readonly string[]): string {
  const packages = new Map<string, string[]>();
  for (const path of inputs) {
    const folder = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
    if (folder !== undefined) packages.set(folder, [...(packages.get(folder) ?? []), path]);
  }
  const parts = [...packages].map(([folder, files]) => {
    const info = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as PackageInfo;
    return { key: `${info.name}@${info.version}`, text: notice(info, folder, files) };
  });
  parts.sort((a, b) => (a.key < b.key ? -1 : 1));
  const rule = `\n${'-'.repeat(80)}\n\n`;
  return `mendlet contains code of these packages. Its own licence is in LICENSE.\n${rule}${parts.map((part) => part.text).join(rule)}`;
}

function notice({ name, version, license }: PackageInfo, folder: string, files: readonly string[]): string {
  const own = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
  const texts = own.map((file) => readFileSync(join(folder, file), 'utf8').trim());
  // Some packages carry their terms only at the head of each source file.
  if (texts.length === 0)
    texts.push(...new Set(files.flatMap((file) => copyrightComments(readFileSync(file, 'utf8')))));
  if (texts.length === 0) throw new Error(`${name} ${version} (${license}) states no licence text; look at ${folder}`);
  return `${name} ${version}\nLicense: ${license}\n\n${texts.join('\n\n')}\n`;
}

/** Runs of line comments and block comments that hold a copyright notice, without the comment signs. */
export function copyrightComments(source: string): string[] {
  const blocks = source.match(/\/\*[\s\S]*?\*\/|(?:^[ \t]*\/\/.*\n?)+/gm) ?? [];
  return blocks
    .filter((block) => /copyright/i.test(block))
    .map((block) =>
      block
        .replace(/^[ \t]*(?:\/\/|\/\*+!?|\*+\/|\*)[ \t]?/gm, '')
        .replace(/\*\/$/, '')
        .trim(),
    );
}
