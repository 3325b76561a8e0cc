/** Builds command lines for objects other than pods. */
import { shellWord } from './text.ts';

export interface ObjectCommands {
  readonly kubectl: (...words: readonly string[]) => string;
  /** For objects without a namespace. */
  readonly cluster: (...words: readonly string[]) => string;
  readonly why: (target: string) => string;
}

/** @param namespaceFlag "-n shop", or empty for the session's own namespace */
export function objectCommands(namespaceFlag: string): ObjectCommands {
  const flag = namespaceFlag === '' ? [] : [namespaceFlag];
  return {
    kubectl: (...words) => ['kubectl', ...flag, ...words.map(shellWord)].join(' '),
    cluster: (...words) => ['kubectl', ...words.map(shellWord)].join(' '),
    why: (target) => ['mendlet', 'why', shellWord(target), ...flag].join(' '),
  };
}
