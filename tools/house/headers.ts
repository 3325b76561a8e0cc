/** Finds files whose header does not say what they are. Tests are described by their own names. */
import { isOfTests, type SourceFile } from './source-file.ts';

/** The comment that a file begins with, without its marks. */
export function headerOf({ text }: Pick<SourceFile, 'text'>): string | undefined {
  const [, found] = /^(?:#!.*\n)?\/\*\*([\s\S]*?)\*\//.exec(text) ?? [];
  return found?.replace(/^\s*\*? ?/gm, '').trim();
}

export function findMissingHeaders(files: readonly SourceFile[]): readonly string[] {
  return files
    .filter((file) => !isOfTests(file))
    .flatMap((file) => {
      const header = headerOf(file);
      if (header !== undefined && /[.:?]/.test(header)) return [];
      return [
        `src/${file.path}:1: ${header === undefined ? 'no header' : 'no sentence in the header'}: say in one sentence what this is`,
      ];
    });
}
