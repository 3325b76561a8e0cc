/** The present faults between an agent and its runtime, from which the fate of each call is drawn. */
import { RuntimeError } from '../../cri/index.ts';
import type { Random } from '../../lib/index.ts';
import type { CallFate } from '../remote-call.ts';

export interface RuntimeFaults {
  /** Shares of calls, 0 to 1. */
  slow: number;
  slowMs: number;
  failBefore: number;
  failAfter: number;
  hang: number;
  /** Shares of events. */
  loseEvents: number;
  repeatEvents: number;
  lateEvents: number;
  lateEventMs: number;
}

export function noRuntimeFaults(): RuntimeFaults {
  return {
    slow: 0,
    slowMs: 0,
    failBefore: 0,
    failAfter: 0,
    hang: 0,
    loseEvents: 0,
    repeatEvents: 0,
    lateEvents: 0,
    lateEventMs: 0,
  };
}

/** @param usualMs maximum time of the call without faults */
export function drawFate(faults: RuntimeFaults, random: Random, usualMs: number): CallFate {
  const slowMs = random.next() < faults.slow ? random.next() * faults.slowMs : 0;
  const thereMs = 0.2 + random.next() * usualMs + slowMs;
  const backMs = 0.1 + random.next() * 0.5;
  const failure = new RuntimeError('Unavailable', 'transport is closing');
  if (random.next() < faults.failBefore) return { thereMs, backMs, failBefore: failure };
  if (random.next() < faults.failAfter) return { thereMs, backMs, failAfter: failure };
  return { thereMs, backMs, hang: random.next() < faults.hang };
}
