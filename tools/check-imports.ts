/**
 * Checks the house rules that no compiler knows (ARCHITECTURE.md). The imports between rooms and between inner rooms are
 * allowed, and go through doors. Only adapters (`*.node.ts`) do I/O, set timers and read dates, and only main loads them.
 * Files that say they are pure are so. Files form no circle. Functions and their inputs are of bounded size. No table
 * of kinds is outside the registrations. Each file has a
 * header. The tables of ARCHITECTURE.md are right. Prints `file:line: problem, remedy`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { findBags } from './house/bags.ts';
import { findCircles } from './house/circles.ts';
import { KIND_TABLES, LONG_FUNCTIONS } from './house/exceptions.ts';
import { findMissingHeaders } from './house/headers.ts';
import { findInnerCrossings } from './house/inner-rooms.ts';
import { findKindTables } from './house/kind-tables.ts';
import { findLongFunctions } from './house/long-functions.ts';
import { findImpureFiles } from './house/pure-files.ts';
import { ALLOWED, INNER_ROOMS } from './house/rooms.ts';
import { findRoomsNotListed, findWrongDirections } from './house/rooms-table.ts';
import { importsOf, readSources } from './house/source-file.ts';

const root = resolve(import.meta.dirname, '..');
const src = join(root, 'src');
const files = readSources(src);
const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');

/** Node modules that do no I/O: allowed everywhere. */
const PURE_NODE_MODULES = new Set(['node:path/posix']);

/** Libraries that do I/O or read clocks: adapters only. */
const IO_LIBRARIES = ['@connectrpc/connect-node', 'ws', 'pino', '@peculiar/x509', 'reflect-metadata', 'jose'];

/** Banned outside adapters: pattern, and what to use. */
const BANNED: readonly (readonly [RegExp, string])[] = [
  [/\bDate\.now\(/, 'Clock.now().wall'],
  [/\bnew Date\(\s*\)/, 'Clock.now().wall'],
  [/\bperformance\.(now|timeOrigin)/, 'Clock.now().mono'],
  [/\bprocess\.hrtime/, 'Clock.now().mono'],
  [/(?<![.\w])set(Timeout|Interval|Immediate)\(/, 'Clock.setTimer'],
  [/\b(queueMicrotask|process\.nextTick)\(/, 'a promise'],
  [/\bAbortSignal\.(timeout)\(/, 'Clock.setTimer and an AbortController'],
  [/\bMath\.random\(/, 'Random'],
  [/\bcrypto\.(subtle|random\w*)/, 'Random'],
  [/(?<![.\w])fetch\(/, 'a Connection'],
  [/\bprocess\.(env|argv|exit|on)\b/, 'main reads it and passes it on'],
  [/\bnew (WeakRef|FinalizationRegistry)\b/, 'an explicit lifetime'],
  // What Intl resolves a name to is no formatting: that is the same in each locale.
  [/\bIntl\.(?!\w+\([^;\n]*\)\.resolvedOptions\(\))|\.toLocale\w+\(/, 'a formatter of our own: locales differ'],
  [/\bconsole\.\w+\(/, 'Logger, or an output stream passed in'],
];

const problems: string[] = [];

for (const file of files) {
  const { path } = file;
  const room = path.split(sep)[0] ?? '';
  const code = withoutComments(file.text);
  const isTest = /\.test\.tsx?$/.test(path);
  const isAdapter = path.endsWith('.node.ts') || isOfBrowser(path);
  if (ALLOWED[room] === undefined) problems.push(`src/${path}:1: no room is called ${room}`);
  for (const { specifier, line, typeOnly } of importsOf(file))
    checkImport(path, room, specifier, line, { isTest, isAdapter, typeOnly });
  if (!isTest && !isAdapter && room !== 'main' && !isSimEntry(path)) checkBans(path, code);
  if (path.startsWith(join('kubelet', 'plan')) && !isTest) checkPure(path, code);
}
problems.push(
  ...findCircles(files),
  ...findInnerCrossings(files, INNER_ROOMS),
  ...findLongFunctions(files, LONG_FUNCTIONS),
  ...findBags(files),
  ...findKindTables(files, KIND_TABLES),
  ...findImpureFiles(files),
  ...findMissingHeaders(files),
  ...findRoomsNotListed(page, folders(), Object.keys(INNER_ROOMS)),
  ...findWrongDirections(page, ALLOWED),
);

if (problems.length > 0) {
  console.error(problems.join('\n'));
  console.error(`\nhouse rules: ${problems.length} broken (see ARCHITECTURE.md, "Rules of the house")`);
  process.exit(1);
}
console.log('house rules: kept');

function checkImport(
  path: string,
  room: string,
  specifier: string,
  line: number,
  is: { isTest: boolean; isAdapter: boolean; typeOnly: boolean },
): void {
  const at = `src/${path}:${line}`;
  if (!specifier.startsWith('.')) {
    checkLibrary(at, path, room, specifier, is);
    return;
  }
  const target = relative(src, resolve(src, dirname(path), specifier));
  if (target.startsWith('..')) {
    if (!is.isTest && specifier !== '../../package.json') problems.push(`${at}: imports ${specifier}, outside src`);
    return;
  }
  const targetRoom = target.split(sep)[0] ?? '';
  if (isOfBrowser(target) && !isOfBrowser(path))
    problems.push(`${at}: imports ${target}, which runs in a browser alone; what both run is beside it`);
  const toAdapter = target.endsWith('.node.ts');
  if (toAdapter && !is.isTest && !is.isAdapter && room !== 'main' && !isSimEntry(path)) {
    problems.push(`${at}: loads the adapter ${target}; only main does, and passes the port`);
  }
  if (path === join('kubelet', 'plan') || path.startsWith(join('kubelet', 'plan') + sep)) {
    const ok =
      target.startsWith(join('kubelet', 'plan')) ||
      target === join('kubelet', 'types.ts') ||
      ['api', 'lib'].includes(targetRoom);
    if (!ok && !is.isTest) problems.push(`${at}: plan imports ${target}; it may know only kubelet/types, api and lib`);
  }
  if (target === join('kubelet', 'kubelet.ts') && path !== join('kubelet', 'index.ts') && !is.isTest) {
    problems.push(`${at}: nobody imports kubelet.ts`);
  }
  if (targetRoom === room) return;
  if (is.isTest) return;
  if (!ALLOWED[room]?.includes(targetRoom)) {
    problems.push(
      `${at}: ${room} imports ${targetRoom}; it may import ${ALLOWED[room]?.join(', ') || 'no other room'}`,
    );
  } else if (
    target !== join(targetRoom, 'index.ts') &&
    !(room === 'main' && toAdapter) &&
    !(is.isAdapter && toAdapter && room === 'main')
  ) {
    problems.push(`${at}: imports ${target}; go through the door, ${targetRoom}/index.ts`);
  }
}

function checkLibrary(
  at: string,
  path: string,
  room: string,
  specifier: string,
  is: { isTest: boolean; isAdapter: boolean; typeOnly: boolean },
): void {
  if (isOfBrowser(path) && specifier.startsWith('node:')) problems.push(`${at}: a browser has no ${specifier}`);
  if (is.isTest || is.isAdapter || is.typeOnly || room === 'main' || isSimEntry(path)) return;
  if (specifier.startsWith('node:') && !PURE_NODE_MODULES.has(specifier)) {
    problems.push(`${at}: imports ${specifier}; only adapters (*.node.ts) do, behind a port`);
  }
  if (IO_LIBRARIES.some((name) => specifier === name || specifier.startsWith(`${name}/`))) {
    problems.push(`${at}: imports ${specifier}; only adapters (*.node.ts) do, behind a port`);
  }
}

/** The browser's half of the live page: it has the browser's clock, timers and requests, as adapters have Node's. */
function isOfBrowser(path: string): boolean {
  return path.startsWith(join('page', 'browser') + sep) && /\.browser\.tsx?$/.test(path);
}

/** The simulator's kernel owns the real event loop: its entries and its drain are its adapters. */
function isSimEntry(path: string): boolean {
  return [join('sim', 'main.ts'), join('sim', 'fuzz', 'main.ts'), join('sim', 'fleet', 'main.ts')].includes(path);
}

function checkBans(path: string, code: string): void {
  for (const [index, line] of code.split('\n').entries()) {
    for (const [pattern, instead] of BANNED) {
      const found = pattern.exec(line);
      if (found) problems.push(`src/${path}:${index + 1}: ${found[0]} outside an adapter; use ${instead}`);
    }
  }
}

function checkPure(path: string, code: string): void {
  for (const [index, line] of code.split('\n').entries()) {
    const found = /\b(async|await|Promise)\b/.exec(line);
    if (found) problems.push(`src/${path}:${index + 1}: ${found[0]} in plan, which is pure`);
  }
}

/** Blanks comments (keeping lines), and leaves strings alone as far as line scanning needs. */
function withoutComments(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '))
    .replace(/(^|[\s;{}()])\/\/.*$/gm, '$1');
}

/** The rooms, and the rooms in the big ones. Folders of generated files are none. */
function folders(): ReadonlySet<string> {
  const below = (folder: string) =>
    readdirSync(join(src, folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(folder, name));
  const rooms = below('');
  return new Set([...rooms, ...rooms.flatMap(below)]);
}
