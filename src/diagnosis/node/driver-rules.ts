/** The rules about the CSI drivers of a node: one that is not registered there, a plugin that is refused, one that does not answer. */
import { driverVolumeOf } from '../../api/index.ts';
import type { PodEvidence } from '../evidence/pod-evidence.ts';
import type { DriverEvidence } from '../evidence/storage-evidence.ts';
import type { NodeSubjectEvidence } from '../evidence/workload-evidence.ts';
import { nodePartTrouble, partsWith, registrarLog } from '../facts/placement/driver-parts.ts';
import { eventsWith, lastSeenMs, quoteEvent } from '../facts/pod/events.ts';
import { listed, quotable } from '../facts/words/text.ts';
import type { Quote, RankedFinding } from '../finding.ts';
import { NORMAL_START_MS, RECENT_DEATH_MS } from '../limits.ts';
import { NOTHING } from '../rule.ts';
import { parseTime } from '../../lib/index.ts';

type NodeDriverRule = (evidence: NodeSubjectEvidence) => readonly RankedFinding[];

/** A driver whose pod is to be on the node, or is there, and that the node does not know. */
const missing: NodeDriverRule = (evidence) => {
  const { node, nodeDrivers, drivers = [] } = evidence;
  if (nodeDrivers === undefined || (nodeDrivers.csiNode === undefined && nodeDrivers.missing !== true)) return NOTHING;
  const registered = registeredOn(evidence);
  return drivers.flatMap((driver) => {
    if (registered.includes(driver.name)) return NOTHING;
    const here = podsHere(driver, node.name);
    const waiting = waitingFor(evidence, driver.name);
    // A driver need not be on every node: where it has no pod and no pod asks for it, nothing is wrong.
    if (here.length === 0 && waiting.length === 0) return NOTHING;
    const isYoung = here.some(
      ({ metadata }) => evidence.now - (parseTime(metadata?.creationTimestamp) ?? 0) < NORMAL_START_MS,
    );
    if (isYoung && waiting.length === 0) return NOTHING;
    const trouble = nodePartTrouble(driver, node.node, node.name);
    const [event] = refusals(evidence).filter(({ message = '' }) => message.includes(driver.name));
    const why =
      trouble?.says ??
      (event === undefined ? 'its pod runs, and has not registered it' : quotable(event.message ?? ''));
    const forWhom =
      waiting.length === 0 ? '' : `; ${listed(waiting)} ${waiting.length === 1 ? 'waits' : 'wait'} for it`;
    const quote: Quote = {
      source: 'object',
      object: `csinode/${node.name}`,
      says:
        nodeDrivers.missing === true
          ? 'not found'
          : `registered: ${registered.length === 0 ? 'no driver' : listed(registered)}`,
    };
    return [
      {
        id: 'driver-not-registered',
        severity: waiting.length === 0 ? ('warning' as const) : ('critical' as const),
        rank: 86,
        topic: `driver/${driver.name}`,
        says: `CSI driver ${quotable(driver.name)} is not registered on node ${node.name}: ${why}${forWhom}`,
        evidence: [quote, ...(trouble?.evidence ?? []), ...(event === undefined ? [] : [quoteEvent(event)])],
        try: trouble?.try ?? registrarLog(driver, node.name),
      },
    ];
  });
};

/** A socket that registers nothing, of a plugin that is no driver that is known otherwise. */
const refused: NodeDriverRule = (evidence) => {
  const known = [...registeredOn(evidence), ...(evidence.drivers ?? []).map(({ name }) => name)];
  return refusals(evidence)
    .filter(({ message = '' }) => !known.some((name) => message.includes(name)))
    .slice(0, 1)
    .map((event) => ({
      id: 'driver-not-registered',
      severity: 'warning' as const,
      rank: 62,
      topic: 'plugin',
      says: `node ${evidence.node.name} cannot register a plugin: ${quotable(event.message ?? '')}`,
      evidence: [quoteEvent(event)],
      try: [`kubectl get pods -A --field-selector spec.nodeName=${evidence.node.name}`],
    }));
};

const HANGS = /DeadlineExceeded|deadline exceeded|took longer than/i;

/** A driver that is registered, and whose calls for pods of the node end without an answer. */
const hanging: NodeDriverRule = (evidence) => {
  const { node, now } = evidence;
  const byDriver = new Map<string, { readonly pods: string[]; readonly quotes: Quote[] }>();
  for (const one of evidence.looked) {
    const event = eventsWith(one.events, 'FailedMount', 'FailedMapVolume', 'FailedUnMount').find(
      (each) => HANGS.test(each.message ?? '') && now - lastSeenMs(each) < RECENT_DEATH_MS,
    );
    const driver = event && driverIn(one, event.message ?? '');
    if (event === undefined || driver === undefined) continue;
    const known = byDriver.get(driver) ?? { pods: [], quotes: [] };
    byDriver.set(driver, known);
    known.pods.push(one.pod.metadata?.name ?? '');
    known.quotes.push(quoteEvent(event, `pod/${one.pod.metadata?.name ?? ''}`));
  }
  return [...byDriver].map(([name, { pods, quotes }]) => {
    const driver = (evidence.drivers ?? []).find((each) => each.name === name);
    const trouble = driver && nodePartTrouble(driver, node.node, node.name);
    return {
      id: 'driver-hangs',
      severity: 'critical' as const,
      rank: 87,
      topic: `driver/${name}`,
      says: `CSI driver ${quotable(name)} on node ${node.name} does not answer${trouble === undefined ? '' : `: ${trouble.says}`}; pod ${listed(pods)} ${pods.length === 1 ? 'waits' : 'wait'} for it`,
      evidence: [...quotes, ...(trouble?.evidence ?? [])],
      try: trouble?.try ?? (driver === undefined ? [] : registrarLog(driver, node.name)),
    };
  });
};

export const DRIVER_RULES: readonly NodeDriverRule[] = [missing, refused, hanging];

/** Names of drivers that the node has. */
export function registeredOn({ nodeDrivers }: NodeSubjectEvidence): readonly string[] {
  const drivers: readonly { readonly name: string }[] | null | undefined = nodeDrivers?.csiNode?.spec.drivers;
  return (drivers ?? []).map(({ name }) => name);
}

function podsHere(driver: DriverEvidence, nodeName: string) {
  return partsWith(driver, 'node')
    .flatMap(({ pods }) => pods)
    .filter(({ spec }) => spec?.nodeName === nodeName);
}

/** Refused registrations of late; the node tells a problem that lasts once. */
function refusals({ events }: NodeSubjectEvidence) {
  return eventsWith(events, 'CSIDriverNotRegistered');
}

/** Pods of the node whose volumes need the driver. */
function waitingFor({ looked }: NodeSubjectEvidence, driver: string): readonly string[] {
  return looked
    .filter(({ pod, events }) => {
      const isGone = eventsWith(events, 'FailedMount', 'FailedMapVolume', 'FailedUnMount').some(({ message = '' }) =>
        message.includes(`driver name ${driver} not found`),
      );
      return isGone && pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed';
    })
    .filter(({ pod }) => pod.metadata?.deletionTimestamp || pod.status?.phase === 'Pending')
    .map(({ pod }) => `pod ${pod.metadata?.namespace ?? ''}/${pod.metadata?.name ?? ''}`);
}

/** The driver of the volume that an event names: by the PersistentVolume's name, or the pod's own for it. */
function driverIn({ claims, pod }: PodEvidence, message: string): string | undefined {
  const volume = /volume "([^"]+)"/.exec(message)?.[1];
  const claim = claims.find((each) => each.volume?.metadata?.name === volume);
  return (
    driverVolumeOf(claim?.volume?.spec)?.driver ?? pod.spec?.volumes?.find(({ name }) => name === volume)?.csi?.driver
  );
}
