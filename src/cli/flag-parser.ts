/** Between our parsers and commander's. */
import { InvalidArgumentError, Option } from 'commander';
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

/** `--data-dir`. An empty one would be the folder in which one happens to be. */
export function dataDirFlag(description: string): Option {
  return new Option('--data-dir <DIR>', description).argParser((text: string) => {
    if (text === '') throw new InvalidArgumentError('Give a folder.');
    return text;
  });
}
