/**
 * Ends that may only meet what an earlier attempt left: rows, files and locks that are there already. The first attempt, which
 * failed for another reason, is the one to explain. Pure.
 */
import { anyOf } from '../../../log-analysis/index.ts';
import type { PodEvidence } from '../../evidence/pod-evidence.ts';
import type { RankedFinding } from '../../finding.ts';
import type { ContainerFacts } from './container-facts.ts';
import type { Death } from './deaths.ts';

/** Words of programs that find what is already there. */
const LEFT_BEHIND = anyOf(
  /\balready (?:exists?|running|locked|applied|initiali[sz]ed|in use|present|registered|created|imported|processed)\b/i,
  /\bduplicate (?:key|entry|column|object|record|row)\b/i,
  /unique ?(?:constraint|violation)|IntegrityError|\bE11000\b|ORA-00001/i,
  /\bfile exists\b|\bEEXIST\b|\bnot empty\b|\bENOTEMPTY\b/i,
  /\blocked by\b|\bdatabase is locked\b|\bLockError\b|\block file\b/i,
);

export function isLeftBehind(words: string): boolean {
  return LEFT_BEHIND.test(words.slice(0, 2000));
}

/** What the container said at the end that is to be explained. */
export function lastSaid({ reading }: ContainerFacts): string {
  return reading.decisive?.line ?? reading.lastLine ?? '';
}

/** The first end of a container whose newest one may only meet what that left; undefined: it ended for the same reason, or is not known. */
export function firstOfAnotherKind(container: ContainerFacts): Death | undefined {
  const first = container.deaths.at(-1);
  if (first?.number !== 1 || first === container.death || first.exitCode === 0 || first.requested !== undefined)
    return undefined;
  const words = first.log?.says ?? first.log?.tail ?? '';
  return words === '' || isLeftBehind(words) || !isLeftBehind(lastSaid(container)) ? undefined : first;
}

/** The evidence of the pod as it was after the first end of the container. */
export function asOfFirstEnd(evidence: PodEvidence, { name }: ContainerFacts, first: Death): PodEvidence {
  const { pod, logs, history = [] } = evidence;
  const ended = {
    exitCode: first.exitCode,
    reason: first.reason,
    ...(first.startedAt !== undefined && { startedAt: first.startedAt }),
    ...(first.finishedAt !== undefined && { finishedAt: first.finishedAt }),
    ...(first.containerId !== undefined && { containerID: first.containerId }),
  };
  const inThatTime = <S extends { readonly name: string }>(statuses: readonly S[] | undefined) =>
    statuses?.map((status) =>
      status.name === name ? { ...status, state: { terminated: ended }, lastState: undefined } : status,
    );
  const { containerStatuses, initContainerStatuses } = pod.status ?? {};
  return {
    ...evidence,
    pod: {
      ...pod,
      status: {
        ...pod.status,
        ...(containerStatuses && { containerStatuses: inThatTime(containerStatuses) }),
        ...(initContainerStatuses && { initContainerStatuses: inThatTime(initContainerStatuses) }),
      },
    },
    logs: Object.fromEntries(Object.entries(logs).filter(([container]) => container !== name)),
    history: history.map((one) =>
      one.name === name ? { ...one, deaths: one.deaths.filter(({ number }) => number === 1) } : one,
    ),
    firstAttempt: undefined,
  };
}

/** The finding about a first attempt, which goes before that of the later ones. @param which "the first end of the container" */
export function leading(first: RankedFinding, later: RankedFinding, which: string, said: string): RankedFinding {
  return {
    ...first,
    severity: later.severity,
    rank: Math.max(first.rank, later.rank + 1),
    says: `${first.says}; that was ${which}, and the later ones may only meet what it left${said === '' ? '' : `: ${said.replace(/\.+$/, '')}`}`,
  };
}
