/**
 * Tells the node's routing which of its pods must get no traffic: after each pass over a pod, and before that as soon as the
 * runtime announces the end of a container. This is the only act that follows an announcement (a hint); a read that denies it
 * puts the pod back.
 */
import type { Counter, MetricsRegistry } from '../../lib/index.ts';
import { sandboxesOf } from '../plan/plan-sandbox.ts';
import type { PodRouting, PodVerdict } from '../ports.ts';
import type { PodUID } from '../types.ts';
import { type JudgedPod, podVerdict, servingContainers } from './pod-verdict.ts';

interface Judged {
  /** By the last pass. */
  verdict: PodVerdict | undefined;
  /** The ids whose end would take the pod out of service, as the last pass saw them. */
  serving: ReadonlySet<string>;
  sandbox: string | undefined;
  /** Of that sandbox; undefined: they are not known, or the node's. */
  addresses: readonly string[] | undefined;
  /** Ids whose end is announced, and that no pass has seen ended yet. */
  readonly announced: Set<string>;
}

export class RoutingKeeper {
  readonly #routing: PodRouting;
  readonly #pods = new Map<PodUID, Judged>();
  readonly #denied: Counter;

  constructor(routing: PodRouting, metrics: MetricsRegistry) {
    this.#routing = routing;
    this.#denied = metrics.counter({
      name: 'mendlet_denied_exit_hints_total',
      help: 'Announced ends of containers that a read of the runtime denied: their pods got their traffic back.',
    });
  }

  /** A pass over the pod has ended. */
  passed(uid: PodUID, judged: JudgedPod): void {
    const serving = new Set(servingContainers(judged.pod, judged.observed).map(({ id }) => id));
    const [sandbox] = sandboxesOf(judged.observed);
    const known = this.#pods.get(uid);
    if (sandbox?.state === 'ready' && sandbox.id !== known?.sandbox && !sandbox.hostNetwork) {
      this.#routing.taken(sandbox.ips);
    }
    const announced = known?.announced ?? new Set<string>();
    for (const id of announced) {
      if (!serving.has(id) && !(sandbox?.id === id && sandbox.state === 'ready')) announced.delete(id);
    }
    const addresses = sandbox?.state === 'ready' && sandbox.ips.length > 0 ? sandbox.ips : undefined;
    const next: Judged = { verdict: podVerdict(judged), serving, sandbox: sandbox?.id, addresses, announced };
    this.#pods.set(uid, next);
    this.#judge(uid, next);
  }

  /** The pod is to end: said before the plan of that, which asks how far its traffic has gone elsewhere. */
  leaves(uid: PodUID): void {
    const pod = this.#pods.get(uid);
    if (pod === undefined) {
      this.#routing.judge(uid, 'leaving');
      return;
    }
    if (pod.verdict === 'dead' || pod.verdict === 'gone') return;
    pod.verdict = 'leaving';
    this.#judge(uid, pod);
  }

  /** The runtime announces that a container or sandbox of the pod has ended. Never throws, never waits. */
  announced(uid: PodUID, id: string): void {
    const pod = this.#pods.get(uid);
    if (pod === undefined || (!pod.serving.has(id) && pod.sandbox !== id)) return;
    pod.announced.add(id);
    this.#judge(uid, pod);
  }

  /** Reads of the runtime do not show what was announced. */
  denied(id: string): void {
    for (const [uid, pod] of this.#pods) {
      if (!pod.announced.delete(id)) continue;
      this.#denied.inc();
      this.#judge(uid, pod);
    }
  }

  /** Nothing is left of the pod. */
  forget(uid: PodUID): void {
    this.#pods.delete(uid);
    this.#routing.forget(uid);
  }

  #judge(uid: PodUID, { verdict, announced, sandbox, addresses }: Judged): void {
    const sandboxEnded = sandbox !== undefined && announced.has(sandbox);
    if (sandboxEnded) this.#routing.judge(uid, 'gone', addresses);
    else if (announced.size > 0 && verdict !== 'gone') this.#routing.judge(uid, 'dead', addresses);
    else this.#routing.judge(uid, verdict, addresses);
  }
}
