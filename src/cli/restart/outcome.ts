/** Describes the outcome of one restart. Pure. */
import type { Pod, PodRestart } from '../../api/index.ts';
import { containerStatuses } from './pod-facts.ts';

/** `skipped`: there was nothing to restart, which is no failure. `left`: requested, and not waited for. */
export type OutcomeKind = 'restarted' | 'skipped' | 'left' | 'failed' | 'interrupted';

export interface Outcome {
  readonly kind: OutcomeKind;
  /** A whole line without its end. */
  readonly text: string;
  /** The pod's resource version at the end; absent when it could not be read. */
  readonly version?: string;
}

export interface EndedRestart {
  readonly podName: string;
  readonly restart: PodRestart;
  readonly before?: Pod;
  readonly after?: Pod;
  readonly tookMs: number;
}

export function outcomeOf(ended: EndedRestart): Outcome {
  const version = ended.after?.metadata?.resourceVersion;
  return { ...told(ended), ...(version === undefined ? {} : { version }) };
}

function told(ended: EndedRestart): Outcome {
  const { podName, restart } = ended;
  const { phase, reason = '', message = '' } = restart.status ?? {};
  if (reason === 'NotNeeded') {
    return { kind: 'skipped', text: `pod/${podName} not restarted: ${message || 'it was not needed'}` };
  }
  if (phase === 'Succeeded' && reason === 'Superseded') {
    return {
      kind: 'restarted',
      text: `pod/${podName} restarted by another request, which superseded this one`,
    };
  }
  if (phase === 'Succeeded') return { kind: 'restarted', text: successText(ended) };
  const why = [reason, message].filter((part) => part !== '').join(': ');
  return { kind: 'failed', text: `pod/${podName} not restarted: ${why || 'no reason is given'}` };
}

function successText(ended: EndedRestart): string {
  const { podName, restart, tookMs } = ended;
  const { scope = 'pod', container } = restart.spec ?? {};
  const what = scope === 'container' && container !== undefined ? `container ${container}` : `scope ${scope}`;
  const details = detailsOf(ended);
  const head = `pod/${podName} restarted (${what}, ${secondsText(tookMs)})`;
  return details.length === 0 ? head : `${head}: ${details.join(', ')}`;
}

function detailsOf({ restart, before, after }: EndedRestart): readonly string[] {
  const details: string[] = [];
  const { scope = 'pod', container, emptyDirs = [] } = restart.spec ?? {};
  if (before === undefined || after === undefined || before.metadata?.uid !== after.metadata?.uid) return details;
  const [from, to] = [before.status?.podIP, after.status?.podIP];
  if (from !== undefined && to !== undefined && from !== to) details.push(`address ${from} → ${to}`);
  if (scope === 'container') {
    const [was, is] = [before, after].map((pod) => containerStatuses(pod).find(({ name }) => name === container));
    if (was !== undefined && is !== undefined) details.push(`restarts ${was.restartCount} → ${is.restartCount}`);
  }
  if (initContainersRanAgain(before, after)) details.push('init containers ran again');
  if (emptyDirs.length > 0)
    details.push(emptyDirs.includes('*') ? 'emptyDirs emptied' : `emptied ${emptyDirs.join(', ')}`);
  return details;
}

function initContainersRanAgain(before: Pod, after: Pod): boolean {
  const sidecars = (after.spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  return (after.status?.initContainerStatuses ?? []).some(({ name, containerID }) => {
    if (sidecars.some((sidecar) => sidecar.name === name)) return false;
    const old = before.status?.initContainerStatuses?.find((status) => status.name === name);
    return old !== undefined && old.containerID !== containerID;
  });
}

/** "1.9s", "2m5s" */
export function secondsText(ms: number): string {
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
