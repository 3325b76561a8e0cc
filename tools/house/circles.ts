/** Finds circles of files: no file may import itself by way of others, types included. */
import { dirname, join } from 'node:path/posix';
import { importsOf, type SourceFile } from './source-file.ts';

/** @returns a line for each circle, with the files in it */
export function findCircles(files: readonly SourceFile[]): readonly string[] {
  const paths = new Set(files.map(({ path }) => path));
  const targets = new Map(
    files.map((file) => {
      const found = importsOf(file).filter(({ specifier }) => specifier.startsWith('.'));
      const inside = found
        .map(({ specifier }) => join(dirname(file.path), specifier))
        .filter((path) => paths.has(path));
      return [file.path, inside] as const;
    }),
  );
  return stronglyConnected(targets)
    .filter((circle) => circle.length > 1)
    .map((circle) => `src/${circle[0]}:1: a circle of files: ${circle.join(' → ')}`);
}

/** Tarjan's algorithm. */
function stronglyConnected(targets: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const onStack = new Set<string>();
  const found: string[][] = [];
  const connect = (at: string): void => {
    const mine = index.size;
    index.set(at, mine);
    low.set(at, mine);
    stack.push(at);
    onStack.add(at);
    for (const next of targets.get(at) ?? []) {
      if (!index.has(next)) connect(next);
      if (onStack.has(next)) low.set(at, Math.min(low.get(at) ?? 0, low.get(next) ?? 0));
    }
    if (low.get(at) !== mine) return;
    const circle = stack.splice(stack.indexOf(at));
    for (const each of circle) onStack.delete(each);
    found.push(circle.toSorted());
  };
  for (const path of targets.keys()) if (!index.has(path)) connect(path);
  return found;
}
