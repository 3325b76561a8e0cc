/** Adapts our flag parsers to commander. */
import { InvalidArgumentError, Option } from 'commander';
import { UsageError } from './usage-error.ts';

/** Turns a parser that throws UsageError into one for commander, which adds the flag's name to the message. */
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

/** Collects the values of a flag that may be repeated. */
export function collected(text: string, before: readonly string[] = []): readonly string[] {
  if (text === '') throw new InvalidArgumentError('It is empty.');
  return [...before, text];
}

/** `--data-dir`. An empty value is refused, because it would mean the current folder. */
export function dataDirFlag(description: string): Option {
  return new Option('--data-dir <DIR>', description).argParser((text: string) => {
    if (text === '') throw new InvalidArgumentError('Give a folder.');
    return text;
  });
}
