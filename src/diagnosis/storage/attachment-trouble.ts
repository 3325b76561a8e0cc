/** What keeps a VolumeAttachment from being attached, or from going. Pure. */
import {
  driverVolumeName,
  driverVolumeOf,
  findCondition,
  isControllerManaged,
  isDeleting,
  isOutOfService,
  nameOf,
} from '../../api/index.ts';
import { parseTime } from '../../lib/index.ts';
import type { AttachmentEvidence } from '../evidence/storage-evidence.ts';
import { partLogs, partsWith, partTrouble } from '../facts/placement/driver-parts.ts';
import { formatAge, listed, quotable, shellWord } from '../facts/words/text.ts';
import type { Quote, RankedFinding } from '../finding.ts';
import { NORMAL_START_MS } from '../limits.ts';

/** An unheard node keeps a volume that nobody needs there for this long (upstream: ReconcilerMaxWaitForUnmountDuration). */
const FORCE_AFTER_MS = 6 * 60_000;
const STANDARD_FINALIZER = 'external-attacher/';

/** A finding whose sentence has the attachment as its subject; callers that ask for a pod put the pod before it. */
export type Trouble = Pick<RankedFinding, 'id' | 'severity' | 'rank' | 'says' | 'evidence' | 'try'>;

/** `undefined`: it is as it should be, or still on its way. */
export function attachmentTrouble(evidence: AttachmentEvidence): Trouble | undefined {
  const { attachment } = evidence;
  if (isDeleting(attachment)) return detaching(evidence);
  return attachment.status?.attached === true ? attached(evidence) : attaching(evidence);
}

/** "volume pv-1" */
export function volumeTitle({ attachment, volume }: AttachmentEvidence): string {
  const name = attachment.spec.source.persistentVolumeName ?? volume?.metadata?.name;
  return name === undefined ? 'an inline volume' : `volume ${name}`;
}

function attaching(evidence: AttachmentEvidence): Trouble | undefined {
  const { attachment, driver, now } = evidence;
  const { nodeName } = attachment.spec;
  const what = volumeTitle(evidence);
  const error = attachment.status?.attachError?.message;
  const ageMs = now - (parseTime(attachment.metadata?.creationTimestamp) ?? now);
  const nowhere = unregistered(evidence);
  if (error !== undefined) {
    return {
      id: 'volume-attach',
      severity: 'critical',
      rank: 87,
      says: `${what} cannot be attached to node ${nodeName}: ${quotable(error)}`,
      evidence: [field(evidence, 'status.attachError', quotable(error)), ...nowhere.evidence],
      try: [...nowhere.try, ...partLogs(driver, 'attacher'), whyNode(nodeName)],
    };
  }
  if (ageMs < NORMAL_START_MS) return undefined;
  const since = field(evidence, 'status.attached', `false, ${formatAge(ageMs)} after it was made`);
  const missing = partTrouble(driver, 'attacher');
  if (missing !== undefined) {
    return {
      id: 'attacher-missing',
      severity: 'critical',
      rank: 90,
      says: `${what} waits to be attached to node ${nodeName} by the attacher of driver ${quotable(driver.name)}, which does not run: ${missing.says}`,
      evidence: [since, ...missing.evidence, ...requirement(evidence)],
      try: [...missing.try, ...notRequired(evidence)],
    };
  }
  return {
    id: 'volume-attach',
    severity: 'critical',
    rank: 86,
    says: `${what} has waited for ${formatAge(ageMs)} to be attached to node ${nodeName}, and the attacher of driver ${quotable(driver.name)} says nothing`,
    evidence: [since, finalizers(evidence), ...nowhere.evidence],
    try: [...partLogs(driver, 'attacher'), ...nowhere.try, describe(evidence)],
  };
}

function detaching(evidence: AttachmentEvidence): Trouble | undefined {
  const { attachment, driver, now } = evidence;
  const { nodeName } = attachment.spec;
  const what = volumeTitle(evidence);
  const held = attachment.metadata?.finalizers ?? [];
  const ageMs = now - (parseTime(attachment.metadata?.deletionTimestamp ?? undefined) ?? now);
  const error = attachment.status?.detachError?.message;
  if (error === undefined && (ageMs < NORMAL_START_MS || held.length === 0)) return undefined;
  const since = field(evidence, 'metadata.deletionTimestamp', `${formatAge(ageMs)} ago`);
  const base = { severity: 'critical' as const, rank: 88 };
  if (error !== undefined) {
    return {
      ...base,
      id: 'volume-detach',
      says: `${what} cannot be detached from node ${nodeName}: ${quotable(error)}`,
      evidence: [field(evidence, 'status.detachError', quotable(error)), since, ...silence(evidence)],
      try: [...partLogs(driver, 'attacher'), whyNode(nodeName), byHand(evidence)],
    };
  }
  const own = held.filter((each) => each.startsWith(STANDARD_FINALIZER));
  const missing = partTrouble(driver, 'attacher');
  if (missing !== undefined) {
    return {
      ...base,
      id: 'attacher-missing',
      rank: 90,
      says: `${what} waits to be detached from node ${nodeName} by the attacher of driver ${quotable(driver.name)}, which does not run: ${missing.says}; this does not end by itself`,
      evidence: [since, finalizers(evidence), ...missing.evidence],
      try: [...missing.try, byHand(evidence)],
    };
  }
  if (own.length === 0) {
    return {
      ...base,
      id: 'finalizers',
      says: `${what} has been on its way off node ${nodeName} for ${formatAge(ageMs)}: ${listed(held)} is still there, and whoever set it has to remove it`,
      evidence: [since, finalizers(evidence)],
      try: [describe(evidence)],
    };
  }
  return {
    ...base,
    id: 'volume-detach',
    says: `${what} has been on its way off node ${nodeName} for ${formatAge(ageMs)}, and the attacher of driver ${quotable(driver.name)} says nothing`,
    evidence: [since, finalizers(evidence), ...silence(evidence)],
    try: [...partLogs(driver, 'attacher'), describe(evidence), byHand(evidence)],
  };
}

/** Attached, and not asked to go: that is as it should be while a pod of a node that is heard has it. */
function attached(evidence: AttachmentEvidence): Trouble | undefined {
  const { attachment, node, pods } = evidence;
  const { nodeName } = attachment.spec;
  const what = volumeTitle(evidence);
  const base = { id: 'volume-held', severity: 'warning' as const, rank: 70 };
  if (node.missing === true) {
    return {
      ...base,
      says: `${what} is attached to node ${nodeName}, which does not exist any more, and nobody has begun to detach it`,
      evidence: [
        { source: 'object', object: `node/${nodeName}`, says: 'not found' },
        field(evidence, 'status.attached', 'true'),
      ],
      try: [describe(evidence)],
    };
  }
  const ready = findCondition(node.node?.status?.conditions, 'Ready');
  if (node.node === undefined || ready === undefined || !isControllerManaged(node.node)) return undefined;
  const isHeard = ready.status === 'True';
  if (isHeard && pods?.length !== 0) return undefined;
  const inUse = usedBy(evidence);
  if (isHeard) {
    if (inUse === undefined) return undefined;
    return {
      ...base,
      severity: 'info',
      says: `${what} stays at node ${nodeName} until that node has unmounted it; no pod there needs it any more`,
      evidence: [inUse],
      try: [whyNode(nodeName)],
    };
  }
  const silentMs = Math.max(0, evidence.now - (parseTime(ready.lastTransitionTime) ?? evidence.now));
  const lost = `node ${nodeName}, which has not been heard of for ${formatAge(silentMs)}`;
  const quotes: readonly Quote[] = [...silence(evidence), ...(inUse === undefined ? [] : [inUse])];
  if (pods === undefined || pods.length > 0) {
    const names = pods?.map((pod) => nameOf(pod)) ?? [];
    const who = names.length === 0 ? 'pods there' : `pod ${listed(names)} there`;
    return {
      ...base,
      says: `${what} stays at ${lost}: ${who} may still write to it, and no time alone ends that`,
      evidence: quotes,
      try: [waitForNode(nodeName), outOfService(nodeName)],
    };
  }
  if (isOutOfService(node.node)) {
    return {
      ...base,
      severity: 'info',
      says: `${what} is detached from ${lost}, at once: somebody has said that it is out of service`,
      evidence: quotes,
      try: [describe(evidence)],
    };
  }
  return {
    ...base,
    says: `${what} stays at ${lost}: ${forceText(FORCE_AFTER_MS - silentMs)}`,
    evidence: quotes,
    try: [waitForNode(nodeName), outOfService(nodeName)],
  };
}

/** The six minutes count only while no pod there needs the volume, and begin anew with the server. */
function forceText(leftMs: number): string {
  const rule = 'it is detached by force once the node has been silent for six minutes in which no pod there needed it';
  const when = leftMs > 0 ? `, in ${formatAge(leftMs)} at the earliest` : ', which is due';
  return `${rule}${when} (never with --disable-force-detach-on-timeout)`;
}

/** The driver does not say on that node who it is there, so its attacher does not know where to attach. */
function unregistered({ nodeDrivers, driver, attachment }: AttachmentEvidence): {
  readonly evidence: readonly Quote[];
  readonly try: readonly string[];
} {
  const { nodeName } = attachment.spec;
  const drivers = nodeDrivers?.csiNode?.spec.drivers ?? [];
  const isKnown = nodeDrivers !== undefined && (nodeDrivers.missing === true || nodeDrivers.csiNode !== undefined);
  if (!isKnown || drivers.some(({ name }) => name === driver.name)) return { evidence: [], try: [] };
  const says = nodeDrivers.missing === true ? 'not found' : `driver ${driver.name} is not registered`;
  return { evidence: [{ source: 'object', object: `csinode/${nodeName}`, says }], try: [whyNode(nodeName)] };
}

function requirement({ driver }: AttachmentEvidence): readonly Quote[] {
  const { object, missing, name } = driver;
  if (missing === true)
    return [
      { source: 'object', object: `csidriver/${name}`, says: 'not found, so its volumes count as ones to attach' },
    ];
  if (object === undefined) return [];
  const value = object.spec.attachRequired === undefined ? 'not set (true)' : String(object.spec.attachRequired);
  return [{ source: 'field', of: `csidriver/${name}`, path: 'spec.attachRequired', value }];
}

/** A driver that has no attacher at all probably needs none. */
function notRequired({ driver }: AttachmentEvidence): readonly string[] {
  if (partsWith(driver, 'attacher').length > 0) return [];
  return [
    `kubectl get csidriver ${shellWord(driver.name)} -o yaml  # a driver without an attacher says attachRequired: false`,
  ];
}

/** The node's word that it uses the volume. */
function usedBy({ volume, node }: AttachmentEvidence): Quote | undefined {
  const source = driverVolumeOf(volume?.spec);
  if (source === undefined) return undefined;
  const name = driverVolumeName(source);
  if (node.node?.status?.volumesInUse?.includes(name) !== true) return undefined;
  return { source: 'field', of: `node/${node.name}`, path: 'status.volumesInUse', value: quotable(name) };
}

function silence({ node }: AttachmentEvidence): readonly Quote[] {
  const ready = findCondition(node.node?.status?.conditions, 'Ready');
  if (ready === undefined || ready.status === 'True') return [];
  const value = quotable(`${ready.status} ${ready.reason ?? ''}: ${ready.message ?? ''}`);
  return [{ source: 'field', of: `node/${node.name}`, path: 'status.conditions[Ready]', value }];
}

function finalizers(evidence: AttachmentEvidence): Quote {
  const all = evidence.attachment.metadata?.finalizers ?? [];
  const value = all.length === 0 ? 'none: no attacher has begun' : quotable(all.join(', '));
  return field(evidence, 'metadata.finalizers', value);
}

function field({ attachment }: AttachmentEvidence, path: string, value: string): Quote {
  return { source: 'field', of: `volumeattachment/${shortName(nameOf(attachment))}`, path, value };
}

/** The names of attachments are hashes. */
export function shortName(name: string): string {
  return /^csi-[0-9a-f]{64}$/.test(name) ? `${name.slice(0, 12)}…` : name;
}

function whyNode(name: string): string {
  return `mendlet why ${shellWord(`node/${name}`)}`;
}

function describe({ attachment }: AttachmentEvidence): string {
  return `kubectl describe volumeattachment ${shellWord(nameOf(attachment))}`;
}

function waitForNode(name: string): string {
  return `kubectl wait --for=condition=Ready ${shellWord(`node/${name}`)} --timeout=24h  # wait: nothing else has to be done`;
}

function outOfService(name: string): string {
  return `kubectl taint nodes ${shellWord(name)} node.kubernetes.io/out-of-service=nodeshutdown:NoExecute  # only when the machine is off for certain: its pods and volumes are given up at once`;
}

function byHand({ attachment }: AttachmentEvidence): string {
  const patch = `kubectl patch volumeattachment ${shellWord(nameOf(attachment))} --type=json -p '[{"op":"remove","path":"/metadata/finalizers"}]'`;
  return `${patch}  # only when the storage itself shows that it is detached: otherwise two nodes may write to it`;
}
