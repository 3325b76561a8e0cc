/** Upstream's probe metrics (pkg/kubelet/prober); durations are observed for failures too. */
import type { Counter, Histogram, Labels, MetricsRegistry } from '../../lib/index.ts';
import type { ProbeAttempt } from '../ports.ts';
import type { ProbeKind } from './probe-step.ts';

const RESULT: Readonly<Record<ProbeAttempt['result'], string>> = {
  success: 'successful',
  failure: 'failed',
  error: 'unknown',
};

export interface ProbeSubject {
  readonly kind: ProbeKind;
  readonly container: string;
  readonly pod: string;
  readonly namespace: string;
  readonly uid: string;
}

const KIND: Readonly<Record<ProbeKind, string>> = { startup: 'Startup', liveness: 'Liveness', readiness: 'Readiness' };

export class ProbeMetrics {
  readonly #total: Counter;
  readonly #duration: Histogram;

  constructor(registry: MetricsRegistry) {
    const labels = ['probe_type', 'result', 'container', 'pod', 'namespace', 'pod_uid'];
    this.#total = registry.counter({ name: 'prober_probe_total', help: 'Probe attempts by result.', labels });
    this.#duration = registry.histogram({
      name: 'prober_probe_duration_seconds',
      help: 'How long probe attempts took.',
      labels: ['probe_type', 'container', 'pod', 'namespace'],
    });
  }

  attempted(subject: ProbeSubject, result: ProbeAttempt['result'], seconds: number): void {
    const { uid, ...labels } = labelsOf(subject);
    this.#total.inc({ ...labels, pod_uid: uid, result: RESULT[result] });
    this.#duration.observe(seconds, labels);
  }

  /** The pod is gone: its series go. */
  forget(subject: ProbeSubject): void {
    const { uid, ...labels } = labelsOf(subject);
    for (const result of Object.values(RESULT)) this.#total.remove({ ...labels, pod_uid: uid, result });
    this.#duration.remove(labels);
  }
}

function labelsOf(subject: ProbeSubject): Labels & { readonly uid: string } {
  const { container, pod, namespace, uid } = subject;
  return { probe_type: KIND[subject.kind], container, pod, namespace, uid };
}

/** "Liveness", as events name it. */
export function kindTitle(kind: ProbeKind): string {
  return KIND[kind];
}
