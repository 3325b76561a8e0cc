/** Each house rule sees what it is there for: a good example passes, a bad one is named with its place. */
import { describe, expect, it } from 'vitest';
import { findBags } from './bags.ts';
import { findCircles } from './circles.ts';
import { findMissingHeaders } from './headers.ts';
import { findInnerCrossings } from './inner-rooms.ts';
import { findKindTables } from './kind-tables.ts';
import { findLongFunctions, MAX_FUNCTION_LINES, MAX_LONG_FUNCTIONS } from './long-functions.ts';
import { findImpureFiles } from './pure-files.ts';
import type { InnerRooms } from './rooms.ts';
import { findRoomsNotListed, findWrongDirections } from './rooms-table.ts';
import { sourceFile } from './source-file.ts';

const files = (texts: Readonly<Record<string, string>>) =>
  Object.entries(texts).map(([path, text]) => sourceFile(path, text));

describe('circles', () => {
  it('of two and three files are found, also through types and re-exports', () => {
    const found = findCircles(
      files({
        'a/one.ts': "import { two } from './two.ts';",
        'a/two.ts': "import type { One } from './one.ts';",
        'b/one.ts': "export * from './two.ts';",
        'b/two.ts': "export { three } from './three.ts';",
        'b/three.ts': "const { one } = await import('./one.ts');",
        'c/leaf.ts': "import { one } from '../a/one.ts';",
      }),
    );
    expect(found).toEqual([
      'src/a/one.ts:1: a circle of files: a/one.ts → a/two.ts',
      'src/b/one.ts:1: a circle of files: b/one.ts → b/three.ts → b/two.ts',
    ]);
  });

  it('are none where several import one', () => {
    const leaf = "import { c } from './c.ts';";
    expect(findCircles(files({ 'a.ts': leaf, 'b.ts': leaf, 'c.ts': '', 'd.ts': "import './a.ts';" }))).toEqual([]);
  });
});

describe('long functions', () => {
  const lines = (count: number) => '\n'.repeat(count - 1);
  const page = `export function page() {${lines(MAX_FUNCTION_LINES)}}`;
  const longer = `\nexport function longer() {${lines(MAX_FUNCTION_LINES + 1)}}`;

  it('are named, whatever form they have', () => {
    const body = `{${lines(MAX_FUNCTION_LINES + 1)}}`;
    const found = findLongFunctions(
      files({
        'a.ts': page + longer,
        'b.ts': `const arrow = () => ${body};\nclass A { method() ${body}\n  #own = async () => ${body}; }`,
        'b.test.ts': longer,
      }),
      [],
    );
    expect(found.map((line) => line.replace(/ has.*/, ''))).toEqual([
      `src/a.ts:${MAX_FUNCTION_LINES + 1}: longer`,
      'src/b.ts:1: arrow',
      `src/b.ts:${MAX_FUNCTION_LINES + 2}: method`,
      `src/b.ts:${2 * MAX_FUNCTION_LINES + 3}: #own`.replace('#own', 'own'),
    ]);
  });

  it('may be excepted by name, until they are short; and only so many', () => {
    expect(findLongFunctions(files({ 'a.ts': longer }), ['a.ts longer'])).toEqual([]);
    expect(findLongFunctions(files({ 'a.ts': page }), ['a.ts page'])).toEqual([expect.stringMatching(/strike it out/)]);
    const many = Array.from({ length: MAX_LONG_FUNCTIONS + 1 }, (_, i) => `a${i}.ts longer`);
    const texts = Object.fromEntries(many.map((key) => [key.replace(' longer', ''), longer]));
    expect(findLongFunctions(files(texts), many)).toEqual([expect.stringMatching(/at most 15 may be/)]);
  });
});

describe('bags', () => {
  const fields = (count: number) => Array.from({ length: count }, (_, i) => `readonly f${i}: number;`).join(' ');
  const five = 'e1: 1; e2: 2; e3: 3; e4: 4; e5: 5;';
  const bag = (count: number, more = '') => `interface XOptions${more} { ${fields(count)} }`;

  it.each<[string, string, number]>([
    ['eight fields', `${bag(8)} function f(x: XOptions) {}`, 0],
    ['nine fields', `${bag(9)} function f(x: XOptions) {}`, 1],
    ['nine, of a constructor, by destructuring', `${bag(9)} class A { constructor({ f0 }: XOptions) {} }`, 1],
    ['nine, with a default', `${bag(9)} const f = ({ f0 }: XOptions = {}) => f0;`, 1],
    [
      'five, and four inherited',
      `interface Base { ${fields(4)} } interface XOptions extends Base { ${five} } function f(x: XOptions) {}`,
      1,
    ],
    ['a type literal', `type XOptions = { ${fields(9)} }; function f(x: XOptions) {}`, 1],
    ['written in place', `function f(x: { ${fields(9)} }) {}`, 1],
    ['nobody takes it here', bag(9), 0],
    ['a thing of its own', `interface Pod { ${fields(9)} } function f(x: Pod): Pod {}`, 0],
    ['all of another, and more', `${bag(5)} function f(x: XOptions & { ${fields(9)} }) {}`, 1],
    [
      'an intersection',
      `type B = { b1: 1; b2: 2 }; type XOptions = B & { ${fields(7)} }; function f(x: XOptions) {}`,
      1,
    ],
    ['fields told twice', `interface B { f0: 1 } ${bag(8, ' extends B')} function f(x: XOptions) {}`, 0],
    ['some of them', `${bag(9)} function f(x: Pick<XOptions, 'f0' | 'f1'>, y: Omit<XOptions, 'f0'>) {}`, 0],
    ['some of more', `${bag(10)} function f(x: Omit<XOptions, 'f0'>) {}`, 1],
    ['nine that may be there', `${bag(9)} function f(x?: Partial<XOptions> | undefined) {}`, 1],
    ['nine, kept by the constructor', `${bag(9)} class A { constructor(private readonly x: XOptions) {} }`, 1],
    ['nine of a type parameter', `type XOptions<T> = T & { a: 1 }; function f(x: XOptions<{ ${fields(8)} }>) {}`, 1],
    ['nine in a part', `interface XOptions { ports: { ${fields(9)} } } function f(x: XOptions) {}`, 1],
    ['nine in a named part', `interface XPorts { ${fields(9)} } interface Y { p: XPorts } function f(x: Y) {}`, 1],
    ['a question', `interface Asked { ${fields(9)} } class A { #x: Asked; constructor(x: Asked) {} }`, 1],
    [
      'some fields of a thing of its own',
      `interface Pod { ${fields(12)} } const pod = (): Pod => x; type Sent = Pick<Pod, 'f0'> & Partial<Pod>; function f(x: Sent) {}`,
      0,
    ],
    ['flags of a command line', `interface XFlags { ${fields(9)} } function f(x: XFlags) {}`, 0],
    ['itself in it', `interface XOptions { next: XOptions; ${fields(7)} } function f(x: XOptions) {}`, 0],
  ])('%s', (_, text, count) => expect(findBags(files({ 'a.ts': text }))).toHaveLength(count));

  it.each<[string, Readonly<Record<string, string>>]>([
    [
      'that it inherits',
      {
        'a/base.ts': `export interface Base { ${fields(4)} }`,
        'a/b.ts': `import type { Base as B } from './base.ts'; interface XOptions extends B { ${five} } function f(x: XOptions) {}`,
      },
    ],
    [
      'that it inherits through a door',
      {
        'a/base.ts': `export interface Base { ${fields(4)} }`,
        'a/index.ts': "export * from './base.ts';",
        'b/index.ts': "export { Base as Other } from '../a/index.ts';",
        'a/b.ts': `import type { Other } from '../b/index.ts'; type XOptions = Partial<Other> & { ${five} }; const f = (x: XOptions) => x;`,
      },
    ],
    [
      'of a type that is declared there',
      {
        'a/b.ts': `export ${bag(9)}`,
        'a/c.ts': "import type { XOptions } from './b.ts'; export function f(x: XOptions) {}",
      },
    ],
  ])('count fields of another file: %s', (_, texts) =>
    expect(findBags(files(texts))).toEqual([expect.stringMatching(/^src\/a\/b.ts:1: XOptions has 9 fields/)]),
  );
});

describe('pure files', () => {
  const pure = (code: string, header = 'It decides. Pure.') => files({ 'a.ts': `/** ${header} */\n${code}` });

  it.each<[string, string, number]>([
    ['a table', 'export const f = (x: number) => x + 1;', 0],
    ['an async function', 'export async function f() {}', 1],
    ['await in it', 'export const f = async () => { await g(); };', 2],
    ['for await', 'export const f = async () => { for await (const x of y) x(); };', 2],
    ['a port', "import { type Clock, assert } from '../lib/index.ts';", 1],
    ['a port as a type', "import type { KubeClient } from '../client/index.ts';", 1],
    ['words of it', "const text = 'await Clock'; // await", 0],
  ])('%s', (_, code, count) => expect(findImpureFiles(pure(code))).toHaveLength(count));

  it('asks only those that say so of all they have', () => {
    expect(findImpureFiles(pure('export async function f() {}', 'It reads.'))).toEqual([]);
    expect(findImpureFiles(pure('export async function f() {}', 'It reads. Pure, but for `f`.'))).toEqual([]);
  });
});

it('headers are asked of each file but tests', () => {
  const found = findMissingHeaders(
    files({
      'good.ts': '/** It says what it is. */\nexport {};',
      'long.ts': '/**\n * It says what it is.\n * And more.\n */\nexport {};',
      'bang.ts': '#!/usr/bin/env node\n/** It says what it is. */',
      'none.ts': "import './good.ts';\n/** Too late. */",
      'empty.ts': '/** */\nexport {};',
      'line.ts': '// It says what it is.\nexport {};',
      'a.test.ts': 'export {};',
    }),
  );
  expect(found.map((line) => line.split(':')[0])).toEqual(['src/none.ts', 'src/empty.ts', 'src/line.ts']);
});

describe('inner rooms', () => {
  const table: Record<string, InnerRooms> = {
    big: { base: ['types.ts'], rooms: { low: [], high: ['low'] }, tops: ['compose'], against: [] },
  };
  const crossing = (from: string, to: string) =>
    findInnerCrossings(files({ [from]: `import { x } from '${to}';` }), table);

  it.each<[string, string, boolean]>([
    ['big/high/a.ts', '../low/b.ts', true],
    ['big/low/a.ts', '../high/b.ts', false],
    ['big/low/a.ts', './b.ts', true],
    ['big/low/deep/a.ts', '../../high/b.ts', false],
    ['big/low/a.ts', '../types.ts', true],
    ['big/low/a.ts', '../kubelet.ts', false],
    ['big/low/a.ts', '../compose/b.ts', false],
    ['big/compose/a.ts', '../high/b.ts', true],
    ['big/kubelet.ts', './high/b.ts', true],
    ['big/new/a.ts', '../low/b.ts', false],
    ['big/low/a.test.ts', '../high/b.ts', true],
    ['small/low/a.ts', '../high/b.ts', true],
  ])('%s imports %s: %s', (from, to, isFine) => expect(crossing(from, to)).toHaveLength(isFine ? 0 : 1));

  it('may be crossed where the list says so, and then must be', () => {
    const excepted = { big: { ...table['big'], against: ['low high'] } } as Record<string, InnerRooms>;
    const text = files({ 'big/low/a.ts': "import { x } from '../high/b.ts';" });
    expect(findInnerCrossings(text, excepted)).toEqual([]);
    expect(findInnerCrossings([], excepted)).toEqual([expect.stringMatching(/is not crossed any more/)]);
  });
});

describe("ARCHITECTURE's tables", () => {
  const page = [
    '| room | purpose |',
    '|---|---|',
    '| `api` | Types |',
    '| `big` | More |',
    '',
    '| in `big` | purpose |',
    '|---|---|',
    '| `run.ts` | Runs |',
    '| `a`, `b` | Two |',
    '',
  ];
  const folders = new Set(['api', 'big', 'big/a', 'big/b', 'api/deep']);

  it('have each room once', () => {
    expect(findRoomsNotListed(page.join('\n'), folders, ['big'])).toEqual([]);
    expect(findRoomsNotListed(page.join('\n'), new Set([...folders, 'new', 'big/c']), ['big'])).toEqual([
      'ARCHITECTURE.md:1: the rooms: new is not listed',
      'ARCHITECTURE.md:1: rooms in big: c is not listed',
    ]);
    const twice = [...page.slice(0, 9), '| `a` | Again |', ''].join('\n');
    expect(findRoomsNotListed(twice, folders, ['big'])).toEqual([
      'ARCHITECTURE.md:1: rooms in big: a is listed 2 times',
    ]);
    expect(findRoomsNotListed(page.join('\n'), new Set(['api', 'big', 'big/a']), ['big'])).toEqual([
      'ARCHITECTURE.md:1: rooms in big: there is no b',
    ]);
  });

  it('tell the directions that are checked', () => {
    const told = (...rows: string[]) => ['| room | may import | purpose |', '|---|---|---|', ...rows, ''].join('\n');
    const allowed = { api: [], lib: [], store: ['lib'], main: ['api', 'lib', 'store'] };
    const [api, lib] = ['| `api` | nothing | Types |', '| `lib` | nothing | Tools |'];
    const [store, main] = ['| `store` | lib | A log |', '| `main` | all but sim | Roots |'];
    expect(findWrongDirections(told(api, lib, store, main), { ...allowed })).toEqual([]);
    expect(findWrongDirections(told(api, lib, store.replace('lib', 'api lib'), main), allowed)).toEqual([
      'ARCHITECTURE.md:1: who may import whom: store → api lib, but the check has lib',
    ]);
    expect(findWrongDirections(told(api, lib, main), allowed)).toEqual([
      'ARCHITECTURE.md:1: who may import whom: store → not told, but the check has lib',
    ]);
  });
});

describe('tables of kinds', () => {
  const table = "const ROWS = { 'apps/v1/Deployment': 1, 'v1/Pod': 2, '/Node': 3 };";
  const map = "const ROWS = new Map([['apps/Deployment', a], ['/Pod', b], ['batch/Job', c]]);";
  const list = "import { RESOURCES } from '../api/index.ts';";

  it('are found outside the registrations, and lists of all kinds too', () => {
    expect(findKindTables(files({ 'scheduler/a.ts': table, 'client/b.ts': map, 'cli/c.ts': list }), [])).toEqual([
      'src/scheduler/a.ts:1: a table of kinds; what is known of a kind belongs to its registration',
      'src/client/b.ts:1: a table of kinds; what is known of a kind belongs to its registration',
      'src/cli/c.ts:1: imports RESOURCES, the list of built-in kinds; ask the registry or discovery',
    ]);
  });

  it('are none in registrations, in tests, with few kinds or with other words', () => {
    const few = "const ROWS = { 'apps/v1/Deployment': 1, 'v1/Pod': 2 };";
    const words = "const NAMES = ['a/b', 'text/Plain words', 'v1', 'Pod'];";
    const fine = { 'apiserver/kinds/a.ts': table, 'api/resources.ts': list, 'cli/a.test.ts': list };
    expect(findKindTables(files({ ...fine, 'cli/few.ts': few, 'cli/words.ts': words }), [])).toEqual([]);
  });

  it('that are mended leave the list of exceptions', () => {
    expect(findKindTables(files({ 'cli/a.ts': list, 'cli/b.ts': '' }), ['cli/a.ts', 'cli/b.ts'])).toEqual([
      'src/cli/b.ts:1: no table of kinds is here any more: take it off the list',
    ]);
  });
});
