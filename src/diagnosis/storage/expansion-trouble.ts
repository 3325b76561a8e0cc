/** Why a claim's volume is smaller than what the claim asks for, and who is to act: the driver's resizer, or the node. Pure. */
import { driverVolumeOf, quantityValue } from '../../api/index.ts';
import type { PersistentVolumeClaim } from '../evidence/kinds.ts';
import type { ClaimSubjectEvidence } from '../evidence/object-evidence.ts';
import type { DriverEvidence } from '../evidence/storage-evidence.ts';
import { partLogs, partTrouble } from '../facts/placement/driver-parts.ts';
import { eventsWith, quoteEvent } from '../facts/pod/events.ts';
import { objectCommands } from '../facts/words/object-commands.ts';
import { quotable } from '../facts/words/text.ts';
import type { Quote, RankedFinding } from '../finding.ts';
import { NOTHING } from '../rule.ts';

interface Sizes {
  readonly claim: PersistentVolumeClaim;
  readonly name: string;
  readonly wanted: string;
  readonly has: string;
  readonly of: string;
}

interface Cause {
  readonly says: string;
  readonly evidence?: readonly Quote[];
  readonly try?: readonly string[];
  readonly severity?: RankedFinding['severity'];
}

export function expansionTrouble(evidence: ClaimSubjectEvidence): readonly RankedFinding[] {
  const { claim, name } = evidence.claim;
  const wanted = claim?.spec?.resources?.requests?.['storage'];
  const has = claim?.status?.capacity?.['storage'];
  if (claim === undefined || wanted === undefined || has === undefined) return NOTHING;
  if (quantityValue(has) >= quantityValue(wanted)) return NOTHING;
  const sizes: Sizes = { claim, name, wanted, has, of: `persistentvolumeclaim/${name}` };
  const cause = causeOf(evidence, sizes);
  const { kubectl } = objectCommands(evidence.namespaceFlag);
  return [
    {
      id: 'claim-resize',
      severity: cause.severity ?? 'warning',
      rank: 50,
      topic: 'size',
      says: `claim ${name} asks for ${sizes.wanted}, and its volume has ${sizes.has}: ${cause.says}`,
      evidence: [
        ...(cause.evidence ?? []),
        field(sizes, 'spec.resources.requests.storage', sizes.wanted),
        field(sizes, 'status.capacity.storage', sizes.has),
      ],
      try: [...(cause.try ?? []), kubectl('describe', `pvc/${name}`)],
    },
  ];
}

function causeOf(evidence: ClaimSubjectEvidence, sizes: Sizes): Cause {
  const { claim } = sizes;
  const state = claim.status?.allocatedResourceStatuses?.['storage'] ?? '';
  const states = state === '' ? [] : [field(sizes, 'status.allocatedResourceStatuses.storage', state)];
  if (/Infeasible|Failed$/.test(state)) return infeasible(evidence, sizes, state, states);
  const volumeSize = evidence.claim.volume?.spec?.capacity?.['storage'];
  const isLarger = volumeSize !== undefined && quantityValue(volumeSize) > quantityValue(sizes.has);
  const condition = (type: string) => claim.status?.conditions?.find((each) => each.type === type);
  if (state.startsWith('Node') || condition('FileSystemResizePending') !== undefined || isLarger) {
    return onNode(evidence, sizes, states, condition('NodeResizeError')?.message);
  }
  return byResizer(evidence, sizes, states, condition('ControllerResizeError')?.message);
}

/** The driver has refused the size for good: only another size helps. */
function infeasible(
  { namespaceFlag, claim }: ClaimSubjectEvidence,
  sizes: Sizes,
  state: string,
  states: readonly Quote[],
): Cause {
  const isNode = state.startsWith('Node');
  const conditions = sizes.claim.status?.conditions ?? [];
  const told = conditions.find(({ type }) => type === (isNode ? 'NodeResizeError' : 'ControllerResizeError'));
  const { kubectl } = objectCommands(namespaceFlag);
  const less = `{"spec":{"resources":{"requests":{"storage":"SIZE"}}}}`;
  return {
    says: `${isNode ? 'its node' : 'its driver'} cannot make it that large, and nothing more is tried until the claim asks for another size${told?.message ? `: ${quotable(told.message)}` : ''}`,
    evidence: [...states, ...conditionQuote(sizes, told?.type, told?.message)],
    try: [`${kubectl('patch', `pvc/${claim.name}`, '-p', less)}  # a SIZE above ${sizes.has}`],
  };
}

/** The volume itself has grown; the file system is the node's to grow. */
function onNode(
  evidence: ClaimSubjectEvidence,
  sizes: Sizes,
  states: readonly Quote[],
  error: string | undefined,
): Cause {
  const { users, storage, namespaceFlag, claim } = evidence;
  const { why } = objectCommands(namespaceFlag);
  const [event] = eventsWith(claim.events, 'VolumeResizeFailed');
  const told = error ?? event?.message;
  const quotes = [
    ...states,
    ...conditionQuote(sizes, 'NodeResizeError', error),
    ...(event === undefined ? [] : [quoteEvent(event, sizes.of)]),
  ];
  if (users.length === 0) {
    return {
      severity: 'info',
      says: 'the volume is large enough, and the node of the next pod that has it makes the file system as large',
      evidence: [...quotes, volumeQuote(evidence)],
    };
  }
  if (told !== undefined) {
    return {
      says: `the volume is large enough, and the node cannot make the file system as large: ${quotable(told)}`,
      evidence: quotes,
      try: users.slice(0, 1).map((pod) => why(`pod/${pod}`)),
    };
  }
  const driver = driverVolumeOf(claim.volume?.spec)?.driver;
  const silent = storage?.nodes.find(
    ({ csiNode, missing }) =>
      missing === true || (csiNode !== undefined && !isRegistered(csiNode.spec.drivers, driver)),
  );
  if (driver !== undefined && silent !== undefined) {
    return {
      says: `the volume is large enough, and driver ${quotable(driver)}, which is to make the file system as large, is not registered on node ${silent.nodeName}`,
      evidence: [
        ...quotes,
        { source: 'object', object: `csinode/${silent.nodeName}`, says: `driver ${driver} is not registered` },
      ],
      try: [`mendlet why node/${silent.nodeName}`],
    };
  }
  return {
    says: 'the volume is large enough, and the node makes the file system as large within a minute',
    evidence: [...quotes, volumeQuote(evidence)],
  };
}

function isRegistered(
  drivers: readonly { readonly name: string }[] | null | undefined,
  name: string | undefined,
): boolean {
  return (drivers ?? []).some((each) => each.name === name);
}

/** The volume itself has to grow, which only the driver's resizer has done. */
function byResizer(
  evidence: ClaimSubjectEvidence,
  sizes: Sizes,
  states: readonly Quote[],
  error: string | undefined,
): Cause {
  const { claim, storage } = evidence;
  const [event] = eventsWith(claim.events, 'VolumeResizeFailed', 'ExternalExpanding');
  const told = error ?? (event?.reason === 'VolumeResizeFailed' ? event.message : undefined);
  const quotes = [
    ...states,
    ...conditionQuote(sizes, 'ControllerResizeError', error),
    ...(event === undefined ? [] : [quoteEvent(event, sizes.of)]),
  ];
  const name = driverVolumeOf(claim.volume?.spec)?.driver;
  const driver: DriverEvidence | undefined = storage?.drivers.find((each) => each.name === name);
  const missing = driver === undefined ? undefined : partTrouble(driver, 'resizer');
  if (driver !== undefined && missing !== undefined) {
    return {
      says: `it waits for the resizer of driver ${quotable(driver.name)}, which does not run: ${missing.says}`,
      evidence: [...quotes, ...missing.evidence],
      try: missing.try,
    };
  }
  const logs = driver === undefined ? [] : partLogs(driver, 'resizer');
  if (told !== undefined)
    return {
      says: `its driver cannot make it larger, and tries again: ${quotable(told)}`,
      evidence: quotes,
      try: logs,
    };
  const resizing = sizes.claim.status?.conditions?.find(({ type }) => type === 'Resizing');
  if (resizing !== undefined || states.length > 0)
    return { says: 'its driver is at work on it', evidence: quotes, try: logs };
  const who = driver === undefined ? 'nobody' : `the resizer of driver ${quotable(driver.name)} runs, and`;
  return {
    says: driver === undefined ? 'nobody has made it larger yet' : `${who} has not made it larger yet`,
    evidence: quotes,
    try: logs,
  };
}

function conditionQuote(sizes: Sizes, type: string | undefined, message: string | undefined): readonly Quote[] {
  return type === undefined || message === undefined
    ? []
    : [field(sizes, `status.conditions[${type}]`, quotable(message))];
}

function volumeQuote({ claim: { volume } }: ClaimSubjectEvidence): Quote {
  const { name = '' } = volume?.metadata ?? {};
  return {
    source: 'field',
    of: `persistentvolume/${name}`,
    path: 'spec.capacity.storage',
    value: volume?.spec?.capacity?.['storage'] ?? 'not read',
  };
}

function field({ of }: Sizes, path: string, value: string): Quote {
  return { source: 'field', of, path, value };
}
