/** The deaths of a pod as its node remembers them, in what the feed shows of them. Pure. */
import type { DeathRecord, Pod, PodHistory } from '../../api/index.ts';
import { parseTime } from '../../lib/index.ts';
import { MAX_POD_DEATHS } from '../limits.ts';

export interface KnownDeath {
  readonly container: string;
  /** Wall ms. */
  readonly at: number;
  /** How long until it ran again; absent: it did not yet. */
  readonly healedMs?: number;
  /** Somebody asked for this end: it is no failure. */
  readonly isWished: boolean;
}

/** The deaths of one pod, and from when on all of them are known. */
export interface PodDeaths {
  readonly deaths: readonly KnownDeath[];
  /** Deaths before were forgotten; absent: none was. Wall ms. */
  readonly completeFrom?: number;
}

/** When and how a container ended, without its words and logs. */
type Ending = Pick<
  DeathRecord,
  | 'number'
  | 'containerId'
  | 'startedAt'
  | 'finishedAt'
  | 'exitCode'
  | 'survived'
  | 'backOffSeconds'
  | 'requested'
  | 'rung'
>;

interface Endings {
  readonly name: string;
  readonly total: number;
  readonly deaths: readonly Ending[];
}

/** The part of a history that a feed keeps. */
export interface PodEndings {
  readonly containers: readonly Endings[];
}

export function endingsOf({ containers }: PodHistory): PodEndings {
  return {
    containers: containers.map(({ name, total, deaths }) => ({ name, total, deaths: deaths.map(endingOf) })),
  };
}

function endingOf(death: DeathRecord): Ending {
  const { number, containerId, startedAt, finishedAt, exitCode, survived, backOffSeconds, requested, rung } = death;
  return {
    number,
    containerId,
    finishedAt,
    exitCode,
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(survived === undefined ? {} : { survived }),
    ...(backOffSeconds === undefined ? {} : { backOffSeconds }),
    ...(requested === undefined ? {} : { requested }),
    ...(rung === undefined ? {} : { rung }),
  };
}

export function deathsOf({ containers }: PodEndings, pod: Pod | undefined): PodDeaths {
  const all = containers.flatMap((container) => deathsIn(container, pod));
  const gaps = containers.flatMap((container) => gapOf(container) ?? []);
  return {
    deaths: all.toSorted((a, b) => a.at - b.at).slice(-MAX_POD_DEATHS),
    ...(gaps.length === 0 ? {} : { completeFrom: Math.max(...gaps) }),
  };
}

function deathsIn({ name, deaths }: Endings, pod: Pod | undefined): readonly KnownDeath[] {
  const ends = deaths.filter(({ survived }) => survived !== true);
  return ends.flatMap((death, index) => {
    const at = parseTime(death.finishedAt);
    if (at === undefined || isDone(death)) return [];
    const following = ends[index + 1];
    const isNext = following !== undefined && following.number === death.number + 1;
    const again = isNext ? parseTime(following.startedAt) : following === undefined ? runsSince(pod, name) : undefined;
    return [
      {
        container: name,
        at,
        isWished: isWished(death),
        ...(again === undefined || again < at ? {} : { healedMs: again - at }),
      },
    ];
  });
}

/** A container that ended as it should: no failure, if nobody wants it to run on. */
function isDone({ exitCode, requested, backOffSeconds }: Ending): boolean {
  return exitCode === 0 && requested === undefined && backOffSeconds === undefined;
}

/** A person asked for it; what a rung of the ladder asked for answers a failure before it. */
function isWished({ requested, rung }: Ending): boolean {
  return requested !== undefined && rung === undefined;
}

function runsSince(pod: Pod | undefined, container: string): number | undefined {
  const { containerStatuses = [], initContainerStatuses = [] } = pod?.status ?? {};
  const status = [...containerStatuses, ...initContainerStatuses].find(({ name }) => name === container);
  return parseTime(status?.state?.running?.startedAt ?? undefined);
}

/** The first death and the last ones are kept: between them some may be missing. */
function gapOf({ total, deaths }: Endings): number | undefined {
  if (total <= deaths.length) return undefined;
  const [first, second] = deaths;
  const from = first?.number === 1 ? second : first;
  return parseTime(from?.finishedAt);
}
