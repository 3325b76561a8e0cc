/** Figures in words: ages, spans of time, memory, cores. No locale, so that server and browser write the same. Pure. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** "under 1 s" for what has no length by clocks of whole seconds, "0.11 s", "4.2 s", "38 s", "2 min 5 s", "1 h 4 min", "3 d 2 h" */
export function spanWords(ms: number): string {
  const span = Math.max(0, ms);
  if (span === 0) return 'under 1 s';
  if (span < 9_950) return `${(Math.max(10, span) / SECOND).toFixed(span < 995 ? 2 : 1)} s`;
  if (span < MINUTE - 500) return `${Math.round(span / SECOND)} s`;
  if (span < HOUR) return two(span, MINUTE, 'min', SECOND, 's');
  if (span < DAY) return two(span, HOUR, 'h', MINUTE, 'min');
  return two(span, DAY, 'd', HOUR, 'h');
}

function two(span: number, big: number, bigName: string, small: number, smallName: string): string {
  const rounded = Math.round(span / small) * small;
  const rest = Math.round((rounded % big) / small);
  return `${Math.floor(rounded / big)} ${bigName}${rest === 0 ? '' : ` ${rest} ${smallName}`}`;
}

/** "just now", "12 s ago", "3 min ago", "2 h ago", "4 d ago" */
export function agoWords(ms: number): string {
  if (ms < 2 * SECOND) return 'just now';
  return `${ageWords(ms)} ago`;
}

/** "12 s", "3 min", "2 h", "4 d": the largest unit alone. */
export function ageWords(ms: number): string {
  const age = Math.max(0, ms);
  if (age < MINUTE) return `${Math.floor(age / SECOND)} s`;
  if (age < HOUR) return `${Math.floor(age / MINUTE)} min`;
  if (age < 2 * DAY) return `${Math.floor(age / HOUR)} h`;
  return `${Math.floor(age / DAY)} d`;
}

/** What a timer shows: "in 38 s", "in 2:05 min", "in 1:04 h", "now". */
export function countdownWords(ms: number): string {
  const seconds = Math.ceil(ms / SECOND);
  if (seconds <= 0) return 'now';
  if (seconds < 60) return `in ${seconds} s`;
  if (seconds < 3_600) return `in ${Math.floor(seconds / 60)}:${pair(seconds % 60)} min`;
  const minutes = Math.ceil(seconds / 60);
  return `in ${Math.floor(minutes / 60)}:${pair(minutes % 60)} h`;
}

function pair(value: number): string {
  return String(value).padStart(2, '0');
}

/** "512 Mi", "1.5 Gi", as quantities are written. */
export function memoryWords(bytes: number): string {
  const units = ['B', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi'];
  let [value, unit] = [Math.max(0, bytes), 0];
  while (value >= 1_024 && unit < units.length - 1) [value, unit] = [value / 1_024, unit + 1];
  return `${value < 10 && unit > 0 ? trimmed(value.toFixed(1)) : Math.round(value)} ${units[unit] ?? ''}`;
}

/** "0.25 cores", "1 core", "12 cores" */
export function coreWords(cores: number): string {
  const text = trimmed(cores < 0.1 ? cores.toFixed(3) : cores < 10 ? cores.toFixed(2) : cores.toFixed(0));
  return `${text} ${text === '1' ? 'core' : 'cores'}`;
}

function trimmed(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

/** "1 pod", "3 pods" */
export function countWords(count: number, word: string): string {
  return `${count} ${count === 1 ? word : `${word}s`}`;
}

/** "2026-11-23 14:05:09 UTC" */
export function instantWords(at: number): string {
  return Number.isFinite(at) && Math.abs(at) < 8.64e15
    ? `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`
    : 'at a time that is none';
}

/** For the attribute `datetime`. */
export function machineInstant(at: number): string | undefined {
  return Number.isFinite(at) && Math.abs(at) < 8.64e15 ? new Date(at).toISOString() : undefined;
}
