/** Who holds the lock that a container's log names: a pod that mounts the same claim, as a rollout that overlaps makes one. Pure. */
import type { Pod } from '../../evidence/kinds.ts';
import { anyOf, fileIn, readLog } from '../../../log-analysis/index.ts';
import type { Quote } from '../../finding.ts';
import type { ContainerFacts } from './container-facts.ts';
import { volumeOf } from '../files/mounts.ts';
import { claimUsers } from '../placement/placement.ts';
import type { PodFacts } from './pod-facts.ts';
import { keptText } from './rollout-overlap.ts';
import { listed } from '../words/text.ts';

/** What programs say of a lock that another process has. Locks of rows and tables are a database's own affair. */
export const LOCKED = anyOf(
  /lock file "[^"]{1,300}" already exists/i,
  /another (?:\w{1,30} )?(?:instance|process|server|node) .{0,60}(?:running|using)/i,
  /already running/i,
  /could not lock/i,
  /lock DB/i,
  /unable to lock/i,
  /(?:is|already|currently) locked by/i,
  /(?:locked|flocked|used|in use|held|opened) by (?:another|some other) (?:process|instance|program|server)/i,
  /\b(?:cannot|can't|could not|couldn't) lock (?:\w{1,20} ){0,3}(?:file|directory|folder|database)\b/i,
  /\b(?:get|acquire|obtain|take) (?:an? |the )?exclusive lock(?! on (?:row|relation|table|tuple|advisory))/i,
  /\b(?:cannot|failed to|could not|unable to) obtain (?:a |the )?(?:node |directory )?locks?\b(?! on (?:row|relation|table|tuple))/i,
  /\b(?:file|directory) is locked\b|\bis already locked\b/i,
  /may (?:already be|be already) in use|may have already booted/i,
  /lock acquisition failure|someone else has the lock/i,
  /failed to acquire lock on file/i,
  /\block\b.{0,160}resource temporarily unavailable/i,
  /resource temporarily unavailable.{0,80}\block\b/i,
  /(?:unable|failed|cannot|can't|could not|couldn't) (?:to )?(?:get|acquire|obtain|take|grab) (?:an? |the )?(?:\w{1,20} )?lock (?:on|for|of|at|in) (?:\w{1,20} )?["'`]?\//i,
  /\bdatabase (?:file )?is locked\b/i,
  /\bacquire the lock \//i,
  /\berror acquiring the (?:\w{1,20} )?lock\b/i,
  /LockObtainFailedException|OverlappingFileLockException|DBPathInUse/i,
);

export interface LockWait {
  /** What the log says, without its time and level. */
  readonly says: string;
  /** The line as it stands. */
  readonly line: string;
}

/** Lines at the end of a log in which a program that waits says so. */
const LAST_LINES = 6;

/** What a container that runs on says last of a lock, whatever the level of that line is; undefined: nothing. */
export function lockWaitOf({ lines }: ContainerFacts): LockWait | undefined {
  const line = lines.slice(-LAST_LINES).findLast((each) => LOCKED.test(each));
  if (line === undefined) return undefined;
  const { live } = readLog([line]);
  const said = live.at(-1) ?? line;
  const file = fileIn(line);
  return { line, says: file === undefined || said.includes(file) ? said : `${said} (${file})` };
}

/** "locked by PID 16 on old-backup-crcsl", "Who: root@plan-x7k2p": the machine of a lock's holder, which in a pod has its name. */
const HOLDER =
  /\block\w* by (?:PID |process )?\d{1,9} (?:on|at) (?:host )?["']?([a-z0-9][a-z0-9.-]{1,252})\b|\bWho: {1,12}\S{1,60}@([a-z0-9][a-z0-9.-]{1,252})\b/i;

/** "pod old-backup-crcsl, which runs, has it", or that none of that name does; empty: the lines name no holder, or the pods are not known. */
export function namedHolder({ evidence, pod }: PodFacts, lines: readonly string[]): string {
  const { pods } = evidence.placement ?? {};
  const [, a, b] = lines.flatMap((line) => HOLDER.exec(line) ?? []);
  const host = a ?? b;
  if (pods === undefined || host === undefined || host === pod.metadata?.name) return '';
  const running = pods.some(({ metadata, status }) => metadata?.name === host && status?.phase === 'Running');
  return running ? `pod ${host}, which runs, has it` : `no pod of that name, ${host}, runs in its namespace`;
}

export interface LockHolder {
  /** "pod kv-1 has it: both mount claim kv-data" */
  readonly says: string;
  readonly quotes: readonly Quote[];
  readonly pods: readonly Pod[];
}

function claimsOf({ pod }: PodFacts, { spec }: ContainerFacts): readonly string[] {
  const mounted = new Set((spec.volumeMounts ?? []).map(({ name }) => name));
  return (pod.spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim: claim }) =>
    mounted.has(name) && claim !== undefined ? [claim.claimName] : [],
  );
}

/** " (claim backup-repo)": the claim in which the lock's file lies; the only one, where the line names no file. */
export function lockedClaim(facts: PodFacts, container: ContainerFacts, line: string): string {
  const file = fileIn(line);
  const [only, ...more] =
    file === undefined
      ? claimsOf(facts, container)
      : [volumeOf(facts, container, file)?.volume.persistentVolumeClaim?.claimName];
  return only === undefined || more.length > 0 ? '' : ` (claim ${only})`;
}

/** "container writer of its pod mounts volume data, too", of a pod whose containers share one that they may write; empty: none does. */
export function lockBeside({ pod, containers }: PodFacts, container: ContainerFacts, file: string | undefined): string {
  const mountsOf = ({ spec }: ContainerFacts): readonly string[] =>
    (spec.volumeMounts ?? []).flatMap(({ name, readOnly }) => (readOnly === true ? [] : [name]));
  const writable = (pod.spec?.volumes ?? []).filter(
    ({ configMap, secret, projected, downwardAPI }) => (configMap ?? secret ?? projected ?? downwardAPI) === undefined,
  );
  const meant =
    file === undefined
      ? undefined
      : (container.spec.volumeMounts ?? []).find(({ mountPath }) => file.startsWith(mountPath))?.name;
  const own = mountsOf(container).filter(
    (name) => writable.some((each) => each.name === name) && (meant ?? name) === name,
  );
  const others = containers.filter(
    (each) =>
      each !== container &&
      each.status?.state?.running !== undefined &&
      mountsOf(each).some((name) => own.includes(name)),
  );
  const volume = own.find((name) => others.some((each) => mountsOf(each).includes(name)));
  if (volume === undefined) return '';
  const names = others.map(({ name }) => `container ${name}`);
  return `${listed(names)} of its pod ${others.length === 1 ? 'mounts' : 'mount'} volume ${volume}, too`;
}

/** The running pods that mount a claim of the container; undefined: none does, or they are not known. */
export function lockHolder(facts: PodFacts, container: ContainerFacts): LockHolder | undefined {
  for (const claim of claimsOf(facts, container)) {
    const pods = claimUsers(facts, new Set([claim])).filter(({ status }) => status?.phase === 'Running');
    if (pods.length === 0) continue;
    const who = listed(pods.map(({ metadata }) => `pod ${metadata?.name ?? ''}`));
    return {
      says: `${who} has it: ${pods.length === 1 ? 'both' : 'all'} mount claim ${claim}${keptText(facts, pods)}`,
      quotes: pods.slice(0, 2).map((pod) => ({
        source: 'object',
        object: `pod/${pod.metadata?.name ?? ''}`,
        says: `runs on node ${pod.spec?.nodeName ?? ''}, and mounts claim ${claim}`,
      })),
      pods,
    };
  }
  return undefined;
}
