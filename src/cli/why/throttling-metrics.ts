/** Reads the throttling of a pod's containers from a kubelet's /metrics/cadvisor. Pure. */
import type { Throttling } from '../../diagnosis/index.ts';

const LINE = /^container_cpu_cfs_(throttled_)?periods_total\{([^}]*)\} ([\d.eE+]+)/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** Throttling by container; figures of the whole pod, which name no container, are left out. */
export function throttlingOf(text: string, namespace: string, pod: string): Readonly<Record<string, Throttling>> {
  const counters = new Map<string, { periods: number; throttledPeriods: number }>();
  for (const line of text.split('\n')) {
    const match = LINE.exec(line);
    if (match === null) continue;
    const labels = new Map([...(match[2] ?? '').matchAll(LABEL)].map(([, name = '', value = '']) => [name, value]));
    const container = labels.get('container') ?? '';
    if (container === '' || labels.get('pod') !== pod || labels.get('namespace') !== namespace) continue;
    const known = counters.get(container) ?? { periods: 0, throttledPeriods: 0 };
    if (match[1] === undefined) known.periods = Number(match[3]);
    else known.throttledPeriods = Number(match[3]);
    counters.set(container, known);
  }
  return Object.fromEntries(counters);
}
