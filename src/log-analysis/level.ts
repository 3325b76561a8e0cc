/** Levels of log lines, from words, letters and numbers. Pure. */

export type Level = 'fatal' | 'error' | 'warning' | 'info' | 'debug';

const WORDS: Readonly<Record<string, Level>> = {
  ...every('fatal', 'fatal panic emerg emergency alert crit critical severe dpanic failure f_tal ftl sev'),
  ...every('error', 'fail error err eror errors erro'),
  ...every('warning', 'warning warn wrn'),
  ...every(
    'info',
    'info information informational inf notice note log status system statement hint detail message audit',
  ),
  ...every('debug', 'dbug trce debug dbg trace trc vrb verbose fine finer finest debug1 debug2 debug3 debug4 debug5'),
};

function every(level: Level, words: string): Record<string, Level> {
  return Object.fromEntries(words.split(' ').map((word) => [word, level]));
}

/** "ERROR", "err", "[warn]"; undefined for other words. */
export function levelOfWord(word: string): Level | undefined {
  return Object.hasOwn(WORDS, word.toLowerCase()) ? WORDS[word.toLowerCase()] : undefined;
}

/** The numbers of pino and bunyan (10 to 60), else those of syslog (0 to 7) where those are meant. */
export function levelOfNumber(level: number, isOfSyslog = true): Level | undefined {
  if (level < 10 && !isOfSyslog) return undefined;
  if (level >= 60) return 'fatal';
  if (level >= 50) return 'error';
  if (level >= 40) return 'warning';
  if (level >= 30) return 'info';
  if (level >= 10) return 'debug';
  return level <= 2 ? 'fatal' : level === 3 ? 'error' : level === 4 ? 'warning' : level <= 6 ? 'info' : 'debug';
}

/** MongoDB's. */
const LETTERS: Readonly<Record<string, Level>> = { F: 'fatal', E: 'error', W: 'warning', I: 'info' };

/** @param isOfSyslog numbers below 10 are severities of syslog, and not the verbosities of Go's logr, of which 0 is ordinary */
export function levelOf(value: unknown, isOfSyslog = true): Level | undefined {
  if (typeof value === 'number') return levelOfNumber(value, isOfSyslog);
  if (typeof value !== 'string' || value.length > 20) return undefined;
  return /^\d+$/.test(value) ? levelOfNumber(Number(value), isOfSyslog) : (LETTERS[value] ?? levelOfWord(value));
}
