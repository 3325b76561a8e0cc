/** No function is longer than a page, but for those of a list that only gets shorter. */
import { isFunction, isOfTests, nameOf, type SourceFile, visit } from './source-file.ts';

/** Lines of a function, its own comments and blank lines included. */
export const MAX_FUNCTION_LINES = 70;
/** Most names that the list of exceptions may have. */
export const MAX_LONG_FUNCTIONS = 15;

/** @param allowed "FILE NAME" of functions that may be longer; one that is not longer any more must leave the list */
export function findLongFunctions(files: readonly SourceFile[], allowed: readonly string[]): readonly string[] {
  const problems: string[] = [];
  const long = new Set<string>();
  for (const file of files.filter((each) => !isOfTests(each))) {
    visit<string>(file.tree(), '', (node, outer) => {
      const name = nameOf(node) ?? outer;
      if (!isFunction(node)) return name;
      const lines = file.lineAt(node.end) - file.lineAt(node.start) + 1;
      if (lines <= MAX_FUNCTION_LINES) return name;
      const key = `${file.path} ${name}`;
      long.add(key);
      if (!allowed.includes(key)) {
        const at = `src/${file.path}:${file.lineAt(node.start)}`;
        problems.push(
          `${at}: ${name || 'a function'} has ${lines} lines; at most ${MAX_FUNCTION_LINES} are read in one go`,
        );
      }
      return name;
    });
  }
  for (const key of allowed)
    if (!long.has(key))
      problems.push(`tools/house/exceptions.ts:1: "${key}" is not too long (any more): strike it out`);
  if (allowed.length > MAX_LONG_FUNCTIONS)
    problems.push(
      `tools/house/exceptions.ts:1: ${allowed.length} long functions, at most ${MAX_LONG_FUNCTIONS} may be`,
    );
  return problems;
}
