/** A house rule: the pages name only links, files, folders, npm scripts and decisions that exist. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { type Checkout, decisionProblems, docsProblems } from './docs-problems.ts';

const root = resolve(import.meta.dirname, '..');
const ROOMS = ['deploy', 'docs', 'examples', 'src', 'test', 'tools'];

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const files = new Set(
  ROOMS.flatMap((room) => readdirSync(join(root, room), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/')),
);
for (const entry of readdirSync(root, { withFileTypes: true })) if (entry.isFile()) files.add(entry.name);

const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
const checkout: Checkout = { files, scripts: new Set(Object.keys(scripts)) };
const pages = [...files].filter((file) => /^(?:(?:docs|examples)\/.*|[^/]*)\.md$/.test(file)).sort();
const problems = [
  ...pages.flatMap((page) => docsProblems(page, read(page), checkout)),
  ...decisionProblems(files, read('docs/decisions/README.md')),
];
for (const problem of problems) console.error(problem);
console.log(`${pages.length} pages, ${problems.length} problems`);
process.exit(problems.length > 0 ? 1 : 0);
