/** The deaths of a workload's pods with their evidence, as its life shows them. Pure. */
import { type ContainerHistory, type DeathRecord, formatDurationMs, type PodHistory } from '../../api/index.ts';
import { cpuText, exitText, oomText, requestText, whyText } from '../../cli/index.ts';
import { parseTime } from '../../lib/index.ts';
import type { LifeDeath, PageDeath } from '../../page/index.ts';
import { MAX_LAST_LINES, MAX_LIFE_DEATHS } from '../limits.ts';
import { shownLines, shownText } from './shown-text.ts';

/** The status has whole seconds, and so it may differ from the node's record. */
const SAME_DEATH_MS = 1000;

/**
 * The newest first. @param last as the row tells it from the pod's status: it says how long the last healing took, which no later death
 * tells yet, and it is shown where the node does not tell of it
 */
export function lifeDeaths(lives: readonly PodHistory[], last?: PageDeath): readonly LifeDeath[] {
  const told = lives
    .flatMap(({ metadata, containers }) => containers.flatMap((container) => deathsIn(metadata.name, container)))
    .toSorted((a, b) => b.at - a.at);
  return withLast(told, last).slice(0, MAX_LIFE_DEATHS);
}

function withLast(told: readonly LifeDeath[], last: PageDeath | undefined): readonly LifeDeath[] {
  if (last === undefined) return told;
  const isLast = ({ pod, container, at }: LifeDeath): boolean =>
    pod === last.pod && container === last.container && Math.abs(at - last.at) <= SAME_DEATH_MS;
  if (!told.some(isLast)) {
    const untold = {
      exit: 'its node tells no more of it',
      evidence: { lastLines: [], probes: [] },
      before: [],
      done: [],
    };
    return [{ ...last, ...untold }, ...told].toSorted((a, b) => b.at - a.at);
  }
  const { healedMs } = last;
  return told.map((death) =>
    healedMs !== undefined && death.healedMs === undefined && isLast(death) ? { ...death, healedMs } : death,
  );
}

function deathsIn(pod: string, { name, deaths }: ContainerHistory): readonly LifeDeath[] {
  return deaths.flatMap((death, index) => {
    const at = parseTime(death.finishedAt);
    if (at === undefined) return [];
    const again = parseTime(deaths[index + 1]?.startedAt);
    const isNext = deaths[index + 1]?.number === death.number + 1;
    return [
      {
        pod,
        container: name,
        at,
        words: shownText(whyText(death) || death.reason),
        ...(isNext && again !== undefined && again >= at ? { healedMs: again - at } : {}),
        exit: exitWords(death),
        evidence: evidenceOf(death),
        before: (death.changes ?? []).map(({ at: when, what }) => shownText(`${what}${ageBefore(when, at)}`)),
        done: doneAbout(death),
      },
    ];
  });
}

function exitWords(death: DeathRecord): string {
  return death.survived === true ? 'a process was killed, and the container lived on' : `exit code ${exitText(death)}`;
}

function evidenceOf({ log, probe, oom, cpu }: DeathRecord): LifeDeath['evidence'] {
  return {
    lastLines: log === undefined || log.tail === '' ? [] : shownLines(log.tail, MAX_LAST_LINES),
    probes: (probe?.outputs ?? []).map(({ output }) => shownText(`${probe?.type ?? ''} probe: ${output}`)),
    ...(oom === undefined ? {} : { memory: shownText(oomText(oom)) }),
    ...(cpu === undefined ? {} : { cpu: shownText(cpuText(cpu)) }),
  };
}

function doneAbout({ backOffSeconds, rung, requested }: DeathRecord): readonly string[] {
  return [
    ...(requested === undefined ? [] : [shownText(requestText(requested))]),
    ...(rung === undefined ? [] : [shownText(`rung ${rung} of its healing policy`)]),
    ...(backOffSeconds === undefined
      ? ['not started again']
      : [backOffSeconds === 0 ? 'started again at once' : `starts again after ${backOffSeconds}s`]),
  ];
}

/** ", 2m before" */
function ageBefore(when: string, at: number): string {
  const ms = at - (parseTime(when) ?? Number.NaN);
  return Number.isNaN(ms) || ms < 0 ? '' : `, ${formatDurationMs(Math.round(ms / 1000) * 1000)} before`;
}
