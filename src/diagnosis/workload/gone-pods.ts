/** What nodes remember of the pods of a failed Job that are gone: the cause of its end, and its last words. Pure. */
import type { Job, PodHistory } from '../../api/index.ts';
import { podFindings } from '../diagnose-pod.ts';
import type { ContainerStatus, DeathRecord, Pod } from '../evidence/kinds.ts';
import type { PodEvidence } from '../evidence/pod-evidence.ts';
import type { WorkloadEvidence } from '../evidence/workload-evidence.ts';
import { podFacts } from '../facts/pod-facts.ts';
import { quotable } from '../facts/text.ts';
import type { Quote, RankedFinding } from '../finding.ts';

/** The findings about the newest pod about which there is more to say than notes; empty: there is no such pod. */
export function goneFindings(evidence: WorkloadEvidence): readonly RankedFinding[] {
  for (const life of evidence.gone ?? []) {
    const found = podFindings(podFacts(evidenceOf(evidence, life)));
    if (found.some(({ severity }) => severity !== 'info')) return found;
  }
  return [];
}

/** The last line of the newest pod that said any, for a job that did not fail by itself. */
export function lastWordsOfGone({ gone = [] }: WorkloadEvidence): Extract<Quote, { source: 'log' }> | undefined {
  for (const { containers } of gone) {
    for (const { name, deaths } of containers) {
      const { log, number } = deaths.at(-1) ?? {};
      const line = log?.tail.split('\n').findLast((each) => each.trim() !== '');
      if (line !== undefined) return { source: 'log', container: name, death: number, line: quotable(line) };
    }
  }
  return undefined;
}

/** The pod as it was: made of the Job's template, each container after its last end that nobody asked for. */
function evidenceOf({ workload, now, namespaceFlag }: WorkloadEvidence, life: PodHistory): PodEvidence {
  const { template } = (workload as Job).spec ?? {};
  const { kind = '', metadata } = workload;
  const owner = {
    apiVersion: 'batch/v1',
    kind,
    name: metadata?.name ?? '',
    uid: metadata?.uid ?? '',
    controller: true,
  };
  const history = life.containers.map((one) => {
    const deaths = one.deaths.filter(({ requested }) => requested === undefined);
    return { ...one, deaths };
  });
  const inits = new Set((template?.spec?.initContainers ?? []).map(({ name }) => name));
  const statuses = history.flatMap(({ name, deaths }) => {
    const last = deaths.at(-1);
    return last === undefined ? [] : [statusOf(name, last)];
  });
  const pod: Pod = {
    kind: 'Pod',
    metadata: { ...life.metadata, ownerReferences: [owner] },
    spec: { ...template?.spec, containers: template?.spec?.containers ?? [], nodeName: life.nodeName },
    status: {
      phase: 'Failed',
      containerStatuses: statuses.filter(({ name }) => !inits.has(name)),
      initContainerStatuses: statuses.filter(({ name }) => inits.has(name)),
    },
  };
  return {
    now,
    pod,
    events: [],
    owners: [workload],
    history,
    logs: {},
    claims: [],
    configs: [],
    services: [],
    throttling: {},
    siblings: [],
    siblingEvents: [],
    notLookedAt: [],
    namespaceFlag,
  };
}

function statusOf(name: string, death: DeathRecord): ContainerStatus {
  const { exitCode, reason, startedAt, finishedAt, containerId, restartCount } = death;
  const containerID = `containerd://${containerId}`;
  return {
    name,
    ready: false,
    restartCount,
    image: '',
    imageID: '',
    state: { terminated: { exitCode, reason, startedAt, finishedAt, containerID } },
  };
}
