/** Reads memory limits, and suggests larger ones. */
import { quantityMilliValue, quantityValue } from '../../../api/index.ts';
import type { Quote } from '../../finding.ts';
import type { ContainerFacts } from './container-facts.ts';
import { formatBytes } from '../words/text.ts';

export const MIB = 1024 * 1024;

export interface MemoryLimit {
  readonly bytes: number;
  /** Exact for less than a byte, too. */
  readonly milliBytes: number;
  readonly text: string;
  readonly path: string;
}

/** The limit in force: that of the status, as the container may have been resized, else that of the spec. */
export function memoryLimit(container: ContainerFacts): MemoryLimit | undefined {
  const inForce = container.status?.resources?.limits?.['memory'];
  const wanted = container.spec.resources?.limits?.['memory'];
  const text = inForce ?? wanted;
  if (text === undefined) return undefined;
  return {
    bytes: quantityValue(text),
    milliBytes: quantityMilliValue(text),
    text,
    path: `${container.path}.resources.limits.memory`,
  };
}

export function limitQuote(limit: MemoryLimit | undefined): readonly Quote[] {
  return limit === undefined ? [] : [{ source: 'field', path: limit.path, value: limit.text }];
}

/** Twice the limit, rounded up to a round number of MiB. */
export function largerLimit(bytes: number): string {
  const wanted = Math.ceil((bytes * 2) / MIB);
  const step = wanted > 4096 ? 512 : wanted > 256 ? 32 : wanted > 32 ? 8 : 1;
  return formatBytes(Math.ceil(wanted / step) * step * MIB);
}
