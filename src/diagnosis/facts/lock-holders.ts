/** Who holds the lock that a container's log names: a pod that mounts the same claim, as a rollout that overlaps makes one. Pure. */
import type { Pod } from '../evidence/kinds.ts';
import { anyOf, fileIn, readLog } from '../../log-analysis/index.ts';
import type { Quote } from '../finding.ts';
import type { ContainerFacts } from './container-facts.ts';
import { claimUsers } from './placement.ts';
import type { PodFacts } from './pod-facts.ts';
import { keptText } from './rollout-overlap.ts';
import { listed } from './text.ts';

/** What programs say of a lock that another process has. Locks of rows and tables are a database's own affair. */
export const LOCKED = anyOf(
  /lock file "[^"]{1,300}" already exists/i,
  /another (?:\w{1,30} )?(?:instance|process|server|node) .{0,60}(?:running|using)/i,
  /already running/i,
  /could not lock/i,
  /lock DB/i,
  /unable to lock/i,
  /is locked by/i,
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

export interface LockHolder {
  /** "pod kv-1 has it: both mount claim kv-data" */
  readonly says: string;
  readonly quotes: readonly Quote[];
  readonly pods: readonly Pod[];
}

/** The running pods that mount a claim of the container; undefined: none does, or they are not known. */
export function lockHolder(facts: PodFacts, { spec }: ContainerFacts): LockHolder | undefined {
  const mounted = new Set((spec.volumeMounts ?? []).map(({ name }) => name));
  const names = (facts.pod.spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim: claim }) =>
    mounted.has(name) && claim !== undefined ? [claim.claimName] : [],
  );
  for (const claim of names) {
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
