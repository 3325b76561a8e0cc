/**
 * Finds the problems of a page of the documentation that a program can see: links, files, folders and npm scripts that do not
 * exist. Pure.
 */
import { posix } from 'node:path';

export interface Checkout {
  /** All files, relative to the root, with "/". */
  readonly files: ReadonlySet<string>;
  readonly scripts: ReadonlySet<string>;
}

const LINK = /\]\(([^()\s]+)\)/g;
const CODE = /`([^`\n]+)`/g;
const SCRIPT = /\bnpm run ([\w:-]+)/g;
const FENCE = /^```.*?^```/gms;
/** Our own source files. Files of a reader's machine (`app.tar`, `hosts.toml`) are not looked for. */
const FILE = /^[\w@./-]+\.(?:ts|md|yaml)$/;
/** Folders of a single name are often the data folder's. */
const FOLDER = /^[\w@.-]+(?:\/[\w@.-]+)+\/$/;
/** `X.test.ts` and the like stand for many. */
const PLACEHOLDER = /(?:^|\/)[A-Z]+(?:[./]|$)/;
const PAGES_IN_CAPITALS = /(?:^|\/)[A-Z]+\.md$/;

/** @param page the page's own path, relative to the root */
export function docsProblems(page: string, text: string, checkout: Checkout): readonly string[] {
  const folders = foldersOf(checkout.files);
  const problems: string[] = [];
  const prose = text.replace(FENCE, '');
  for (const [, target = ''] of prose.matchAll(LINK)) {
    if (/^[a-z]+:/.test(target) || target.startsWith('#')) continue;
    const path = posix.join(posix.dirname(page), target.replace(/#.*$/, ''));
    if (!checkout.files.has(path) && !folders.has(`${path.replace(/\/$/, '')}/`)) {
      problems.push(`${page}: the link ${target} leads nowhere`);
    }
  }
  for (const [, code = ''] of prose.matchAll(CODE)) {
    if (PLACEHOLDER.test(code) && !PAGES_IN_CAPITALS.test(code)) continue;
    if (FILE.test(code) && !endsLike(checkout.files, code)) problems.push(`${page}: there is no file ${code}`);
    if (FOLDER.test(code) && !endsLike(folders, code)) problems.push(`${page}: there is no folder ${code}`);
  }
  for (const [, script = ''] of text.matchAll(SCRIPT)) {
    if (!checkout.scripts.has(script)) problems.push(`${page}: there is no npm script ${script}`);
  }
  return problems;
}

/** Pages name files from where the reader is: `plan/lifecycle.ts`, or the name alone. */
function endsLike(paths: ReadonlySet<string>, path: string): boolean {
  return paths.has(path) || [...paths].some((each) => each.endsWith(`/${path}`));
}

function foldersOf(files: ReadonlySet<string>): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const file of files) {
    for (let at = file.indexOf('/'); at >= 0; at = file.indexOf('/', at + 1)) folders.add(file.slice(0, at + 1));
  }
  return folders;
}

/** Decisions have numbers of their own, and the index has each of them once, in order. */
export function decisionProblems(files: Iterable<string>, index: string): readonly string[] {
  const pages = [...files].flatMap((file) => /^docs\/decisions\/(\d{4}-[\w-]+\.md)$/.exec(file)?.[1] ?? []).sort();
  const numbers = pages.map((page) => page.slice(0, 4));
  const twice = numbers.filter((number, at) => numbers.indexOf(number) !== at);
  const listed = [...index.matchAll(/^\| \[(\d{4})\]\(([^)]+)\)/gm)];
  const problems = twice.map((number) => `docs/decisions: two pages have the number ${number}`);
  for (const page of pages) {
    if (!listed.some(([, number, target]) => target === page && page.startsWith(`${number}-`))) {
      problems.push(`docs/decisions/README.md: ${page} is not in the table`);
    }
  }
  const order = listed.map(([, number = '']) => number);
  if (order.join() !== [...order].sort().join()) problems.push('docs/decisions/README.md: the table is not in order');
  return problems;
}
