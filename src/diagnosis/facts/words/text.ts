/** Formats names, lists, ages and sizes for findings. */
import { maskSecrets } from '../../../log-analysis/index.ts';
import { MAX_MASKED_LENGTH, MAX_NAMES, MAX_QUOTE_LENGTH } from '../../limits.ts';

/** Escape sequences of terminals. */
const COLOUR = new RegExp(String.raw`${String.fromCharCode(27)}\[[0-9;]*[A-Za-z]`, 'g');

/** The text as a quotation: secrets masked, cut to its maximum, without line ends and control characters, because terminals show it. */
export function quotable(text: string): string {
  const flat = maskSecrets(text.slice(0, MAX_MASKED_LENGTH))
    .replace(COLOUR, '')
    .replace(/(?!\n)\p{Cc}/gu, ' ')
    .replace(/\s*\n\s*/g, ' ')
    .trim();
  return flat.length <= MAX_QUOTE_LENGTH ? flat : `${flat.slice(0, MAX_QUOTE_LENGTH - 1)}…`;
}

/** "a", "a and b", "a, b and 3 more". */
export function listed(names: readonly string[]): string {
  if (names.length <= 1) return names[0] ?? '';
  if (names.length > MAX_NAMES) {
    return `${names.slice(0, MAX_NAMES).join(', ')} and ${names.length - MAX_NAMES} more`;
  }
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** Whether the text has the word, and not only as a part of a longer one. A word may hold any character. */
export function hasWord(text: string, word: string): boolean {
  const isPart = (character: string | undefined): boolean => character !== undefined && /\w/.test(character);
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    if (!isPart(text[at - 1]) && !isPart(text[at + word.length])) return word !== '';
  }
  return false;
}

/** " (disk=ssd)"; nothing for no words */
export function inBrackets(words: readonly string[]): string {
  return words.length === 0 ? '' : ` (${listed(words)})`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** A duration as kubectl prints it: "5s", "2m10s", "3h4m", "2d3h". */
export function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return seconds % 60 === 0 ? `${minutes}m` : `${minutes}m${seconds % 60}s`;
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 || hours >= 8 ? `${hours}h` : `${hours}h${minutes % 60}m`;
  return `${Math.floor(hours / 24)}d`;
}

/** Bytes in a binary unit, exact if possible: "64Mi", "1536Mi", "2Gi". */
export function formatBytes(bytes: number): string {
  const units = ['', 'Ki', 'Mi', 'Gi', 'Ti'];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1 && (Number.isInteger(value / 1024) || value >= 10 * 1024)) {
    value /= 1024;
    unit += 1;
  }
  return `${Math.round(value)}${units[unit]}`;
}

/** The text as a word of a POSIX shell, quoted only where necessary. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Whether the text has the address; "10.96.0.4" is none of "10.96.0.45". */
export function hasAddress(text: string, address: string): boolean {
  return new RegExp(String.raw`(?<![\d.])${address.replaceAll('.', String.raw`\.`)}(?![\d.]*\d)`).test(text);
}
