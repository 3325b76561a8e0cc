/** Levels of log lines, from words, letters and numbers. Pure. */

export type Level = 'fatal' | 'error' | 'warning' | 'info' | 'debug';

const WORDS: Readonly<Record<string, Level>> = {
  ...every('fatal', 'fatal panic emerg emergency alert crit critical severe dpanic failure f_tal sev'),
  ...every('error', 'fail error err eror errors erro'),
  ...every('warning', 'warning warn wrn'),
  ...every(
    'info',
    'info information informational inf notice note log status system statement hint detail message audit',
  ),
  ...every('debug', 'dbug trce debug dbg trace trc verbose fine finer finest debug1 debug2 debug3 debug4 debug5'),
};

function every(level: Level, words: string): Record<string, Level> {
  return Object.fromEntries(words.split(' ').map((word) => [word, level]));
}

/** "ERROR", "err", "[warn]"; undefined for other words. */
export function levelOfWord(word: string): Level | undefined {
  return Object.hasOwn(WORDS, word.toLowerCase()) ? WORDS[word.toLowerCase()] : undefined;
}

/** The numbers of pino and bunyan (10 to 60), else those of syslog (0 to 7). */
export function levelOfNumber(level: number): Level | undefined {
  if (level >= 60) return 'fatal';
  if (level >= 50) return 'error';
  if (level >= 40) return 'warning';
  if (level >= 30) return 'info';
  if (level >= 10) return 'debug';
  return level <= 2 ? 'fatal' : level === 3 ? 'error' : level === 4 ? 'warning' : level <= 6 ? 'info' : 'debug';
}

/** MongoDB's. */
const LETTERS: Readonly<Record<string, Level>> = { F: 'fatal', E: 'error', W: 'warning', I: 'info' };

export function levelOf(value: unknown): Level | undefined {
  if (typeof value === 'number') return levelOfNumber(value);
  if (typeof value !== 'string' || value.length > 20) return undefined;
  return /^\d+$/.test(value) ? levelOfNumber(Number(value)) : (LETTERS[value] ?? levelOfWord(value));
}
