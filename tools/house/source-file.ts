/** A source file as the house rules look at it: its text, its lines, its syntax tree. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

/** A node of the syntax tree (ESTree with TypeScript). */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

export interface SourceFile {
  /** From `src` on: "kubelet/plan/draft.ts". */
  readonly path: string;
  readonly text: string;
  /** Parsed once. */
  tree(): SyntaxNode;
  /** 1 for the first line. */
  lineAt(offset: number): number;
}

/** @throws SyntaxError of the parser when `tree` is asked of a file that is not TypeScript */
export function sourceFile(path: string, text: string): SourceFile {
  let tree: SyntaxNode | undefined;
  let starts: readonly number[] | undefined;
  return {
    path,
    text,
    tree: () => (tree ??= parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }, path) as unknown as SyntaxNode),
    lineAt: (offset) => lineOf((starts ??= lineStarts(text)), offset),
  };
}

function lineStarts(text: string): readonly number[] {
  return [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
}

/** The last line that starts at or before the offset, by halves. */
function lineOf(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low + 1;
}

/** All files below `src` that people wrote. */
export function readSources(src: string): readonly SourceFile[] {
  return [...walk(src)]
    .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.gen.ts') && !path.includes('/gen/'))
    .map((path) => sourceFile(relative(src, path), readFileSync(path, 'utf8')));
}

function* walk(folder: string): Generator<string> {
  for (const name of readdirSync(folder).toSorted()) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) yield* walk(path);
    else yield path;
  }
}

/** A test, or what tests alone use. */
export function isOfTests({ path }: Pick<SourceFile, 'path'>): boolean {
  return /\.(test|fixtures|testing)\.tsx?$/.test(path) || path.endsWith('/test-server.ts');
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}

/** Calls `look` for the node and all nodes below it; its result is passed to the nodes below as `outer`. */
export function visit<T>(node: SyntaxNode, outer: T, look: (node: SyntaxNode, outer: T) => T): void {
  const inner = look(node, outer);
  for (const value of Object.values(node)) {
    if (isNode(value)) visit(value, inner, look);
    else if (Array.isArray(value)) for (const each of value) if (isNode(each)) visit(each, inner, look);
  }
}

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

export function isFunction({ type }: SyntaxNode): boolean {
  return FUNCTIONS.has(type);
}

/** The name that a node gives to its content: of a declaration, a method, a property. */
export function nameOf(node: SyntaxNode): string | undefined {
  const named =
    node['id'] ?? (/^(MethodDefinition|PropertyDefinition|Property)$/.test(node.type) ? node['key'] : undefined);
  return isNode(named) && typeof named['name'] === 'string' ? named['name'] : undefined;
}

export interface Import {
  readonly specifier: string;
  readonly line: number;
  readonly typeOnly: boolean;
  /** Names as they are exported; none for `import *` and side effects. */
  readonly names: readonly string[];
}

/** The imports of a file, and its exports from others. */
export function importsOf(file: SourceFile): readonly Import[] {
  const found: Import[] = [];
  visit(file.tree(), undefined, (node) => {
    const { source } = node;
    if (!/^(ImportDeclaration|ExportNamedDeclaration|ExportAllDeclaration|ImportExpression)$/.test(node.type)) return;
    if (!isNode(source) || typeof source['value'] !== 'string') return;
    const specifiers = (Array.isArray(node['specifiers']) ? node['specifiers'] : []).filter(isNode);
    const names = specifiers.flatMap((each) => {
      const named = each['imported'] ?? (node.type === 'ExportNamedDeclaration' ? each['local'] : undefined);
      return isNode(named) && typeof named['name'] === 'string' ? [named['name']] : [];
    });
    const typeOnly = node['importKind'] === 'type' || node['exportKind'] === 'type';
    found.push({ specifier: source['value'], line: file.lineAt(node.start), typeOnly, names });
  });
  return found;
}
