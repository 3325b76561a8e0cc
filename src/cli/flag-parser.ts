/** Between our parsers and commander's. */
import { InvalidArgumentError } from 'commander';
import { UsageError } from './usage-error.ts';

/** Makes a parser of ours one of commander's, which names the flag in its message. */
export function valueOf<T>(parse: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      if (error instanceof UsageError) throw new InvalidArgumentError(error.message);
      throw error;
    }
  };
}

/** For flags that may be repeated. */
export function collected(text: string, before: readonly string[] = []): readonly string[] {
  if (text === '') throw new InvalidArgumentError('It is empty.');
  return [...before, text];
}
