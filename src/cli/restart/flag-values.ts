/** Parsers of the flag values of `restart`. Pure. */
import { durationMs } from '../../api/index.ts';
import { UsageError } from '../usage-error.ts';
import { MAX_PARALLEL } from './limits.ts';

/** The pods of a workload that may be away at once, as a number or a share. */
export interface MaxUnavailable {
  readonly text: string;
  /** Exactly one of `count` and `percent` is set. */
  readonly count?: number;
  readonly percent?: number;
}

const TIME = /^(\d{4})-(\d{2})-(\d{2})T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;

/** A time in the format of RFC 3339. */
export function parseNotBefore(text: string): string {
  if (!TIME.test(text) || Number.isNaN(Date.parse(text))) {
    throw new UsageError('Give a time as of RFC 3339, for instance 2026-01-31T15:04:05Z.');
  }
  return text;
}

/** "10s", "5m". @returns ms */
export function parseTimeout(text: string): number {
  const ms = durationMs(text);
  if (ms === undefined || ms <= 0) throw new UsageError('Give a length of time, for instance 40s or 5m.');
  return ms;
}

/** "cache,tmp"; "all" means "*", which is the value in the object and is accepted, too. */
export function parseEmptyDirs(text: string): readonly string[] {
  if (text === 'all' || text === '*') return ['*'];
  const names = text.split(',');
  if (names.some((name) => !/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name))) {
    throw new UsageError('Give names of volumes, for instance cache,tmp; or all.');
  }
  return names;
}

/** 1 to 100. */
export function parseParallel(text: string): number {
  const count = Number(text);
  if (!/^\d{1,3}$/.test(text) || count < 1 || count > MAX_PARALLEL) {
    throw new UsageError(`Give a number from 1 to ${MAX_PARALLEL}.`);
  }
  return count;
}

/** "2", "25%" */
export function parseMaxUnavailable(text: string): MaxUnavailable {
  const [, digits = '', sign] = /^(\d{1,6})(%?)$/.exec(text) ?? [];
  const value = Number(digits);
  if (digits === '' || value < 1 || (sign === '%' && value > 100)) {
    throw new UsageError('Give how many pods may be away at once, for instance 1 or 25%.');
  }
  return sign === '%' ? { text, percent: value } : { text, count: value };
}

/** A grace period as pods have it: 0 or more seconds. */
export function parseGracePeriod(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new UsageError('Give a number of seconds, 0 or more.');
  return Number(text);
}
