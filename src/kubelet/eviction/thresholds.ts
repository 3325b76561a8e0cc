/** Eviction thresholds as they are set: which signal, below what, for how long. Upstream: eviction/helpers.go. Pure. */
import { QuantityError, quantityValue } from '../../api/index.ts';
import type { KubeletSettings } from '../settings.ts';

export const EVICTION_SIGNALS = [
  'memory.available',
  'nodefs.available',
  'nodefs.inodesFree',
  'imagefs.available',
  'imagefs.inodesFree',
  'containerfs.available',
  'containerfs.inodesFree',
  'pid.available',
] as const;

export type EvictionSignal = (typeof EVICTION_SIGNALS)[number];

/** An amount (bytes, inodes, PIDs) or a part of the capacity. */
export type ThresholdValue = { readonly amount: number } | { readonly fraction: number };

export interface Threshold {
  readonly signal: EvictionSignal;
  readonly value: ThresholdValue;
  /** 0: hard. */
  readonly gracePeriodMs: number;
  /** How much more than the threshold is reclaimed once reclaiming has begun. */
  readonly minReclaim?: ThresholdValue;
  /** As written, for messages. */
  readonly text: string;
}

/** A setting that makes no sense; `field` as in KubeletConfiguration. */
export class ThresholdError extends Error {
  override readonly name = 'ThresholdError';
  readonly field: string;
  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

/** Hard thresholds first. @throws ThresholdError */
export function parseThresholds(eviction: KubeletSettings['eviction']): readonly Threshold[] {
  const reclaim = (signal: EvictionSignal): { readonly minReclaim?: ThresholdValue } => {
    const text = eviction.minimumReclaim[signal];
    return text === undefined ? {} : { minReclaim: parseValue('evictionMinimumReclaim', signal, text) };
  };
  for (const name of Object.keys(eviction.minimumReclaim)) checkSignal('evictionMinimumReclaim', name);
  const hard = Object.entries(eviction.hard).map(([name, text]) => {
    const signal = checkSignal('evictionHard', name);
    return { signal, value: parseValue('evictionHard', signal, text), gracePeriodMs: 0, ...reclaim(signal), text };
  });
  const soft = Object.entries(eviction.soft).map(([name, text]) => {
    const signal = checkSignal('evictionSoft', name);
    const gracePeriodMs = eviction.softGracePeriodMs[signal];
    if (gracePeriodMs === undefined || gracePeriodMs <= 0) {
      throw new ThresholdError(
        `evictionSoftGracePeriod[${signal}]`,
        `a soft threshold of ${signal} needs a grace period`,
      );
    }
    return { signal, value: parseValue('evictionSoft', signal, text), gracePeriodMs, ...reclaim(signal), text };
  });
  return [...hard, ...soft].filter(({ value }) => !('fraction' in value) || value.fraction > 0);
}

/** How many bytes (inodes, PIDs) the threshold stands for, of this capacity. */
export function thresholdAmount(value: ThresholdValue, capacity: number): number {
  return 'amount' in value ? value.amount : capacity * value.fraction;
}

/** The amount of this capacity that the hard threshold of this signal keeps free; 0 without one. */
export function hardReserve(thresholds: readonly Threshold[], signal: EvictionSignal, capacity: number): number {
  const hard = thresholds.find((each) => each.signal === signal && each.gracePeriodMs === 0);
  return hard === undefined ? 0 : thresholdAmount(hard.value, capacity);
}

function checkSignal(field: string, name: string): EvictionSignal {
  const signal = EVICTION_SIGNALS.find((known) => known === name);
  if (signal !== undefined) return signal;
  throw new ThresholdError(`${field}[${name}]`, `unknown signal; known are ${EVICTION_SIGNALS.join(', ')}`);
}

function parseValue(field: string, signal: EvictionSignal, text: string): ThresholdValue {
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(text);
  if (percent !== null) {
    const fraction = Number(percent[1]) / 100;
    if (fraction <= 1) return { fraction };
    throw new ThresholdError(`${field}[${signal}]`, `"${text}" is more than 100%`);
  }
  try {
    const amount = quantityValue(text);
    if (amount >= 0) return { amount };
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
  }
  throw new ThresholdError(`${field}[${signal}]`, `"${text}" is neither a quantity nor a percentage`);
}
