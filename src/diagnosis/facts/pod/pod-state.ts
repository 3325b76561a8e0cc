/** The state of a pod in kubectl's words, with the time of the next start. */
import { parseTime } from '../../../lib/index.ts';
import { RESTARTING_CONDITION } from '../../../api/index.ts';
import type { ContainerFacts } from './container-facts.ts';
import type { PodFacts } from './pod-facts.ts';
import { endingOf } from './ending.ts';
import { formatAge, listed } from '../words/text.ts';

export function podState(facts: PodFacts): string {
  return [statusWord(facts), ...details(facts)].join(', ');
}

function statusWord(facts: PodFacts): string {
  const { pod, deleting, containers } = facts;
  const { phase = 'Pending', reason } = pod.status ?? {};
  if (deleting) return reason === 'NodeLost' ? 'Unknown' : 'Terminating';
  if (reason !== undefined && reason !== '') return reason;
  if (phase === 'Succeeded') return 'Completed';
  if (facts.condition(RESTARTING_CONDITION)?.status === 'True') return 'Restarting';
  const init = containers.find(
    ({ kind, status }) => kind === 'init' && status?.state?.terminated?.exitCode !== 0 && status !== undefined,
  );
  const word = init === undefined ? undefined : stateWord(init);
  if (init !== undefined && phase === 'Pending' && word !== undefined && word !== 'PodInitializing')
    return `Init:${word}`;
  const main = containers
    .filter(({ kind }) => kind !== 'init')
    .map(stateWord)
    .find((found) => found !== undefined);
  if (phase === 'Failed') return main === undefined || main === 'Completed' ? 'Failed' : main;
  return main ?? phase;
}

/** The reason why the container does not run. */
function stateWord({ status }: ContainerFacts): string | undefined {
  const waiting = status?.state?.waiting?.reason;
  if (waiting !== undefined && waiting !== '') return waiting;
  const ended = status?.state?.terminated;
  if (ended === undefined) return undefined;
  return ended.reason ?? `ExitCode:${ended.exitCode}`;
}

function details(facts: PodFacts): readonly string[] {
  const { pod, containers, finished, deleting } = facts;
  if (deleting) return ending(facts);
  if (finished) return [];
  const next = nextStart(facts);
  if (next !== undefined) return [next];
  const main = (pod.status?.containerStatuses ?? []).filter(({ state }) => state !== undefined);
  if (main.length === 0) return [`for ${formatAge(facts.ageMs)}`];
  const ready = `${main.filter(({ ready }) => ready).length}/${containers.filter(({ kind }) => kind === 'container').length} ready`;
  const restarts = main.reduce((sum, { restartCount }) => sum + restartCount, 0);
  return restarts === 0 ? [ready] : [ready, `${restarts} ${restarts === 1 ? 'restart' : 'restarts'}`];
}

/** "main still runs, and is killed in 18s": what happens next to a pod that is being deleted. */
function ending(facts: PodFacts): readonly string[] {
  const running = facts.containers.flatMap((container) => {
    const found = endingOf(facts, container);
    return found === undefined ? [] : [{ name: container.name, ...found }];
  });
  const [first] = running;
  if (first === undefined || first.killMs <= facts.now) return [];
  const names = listed(running.map(({ name }) => name));
  return [
    `${names} still ${running.length === 1 ? 'runs, and is' : 'run, and are'} killed in ${formatAge(first.killMs - facts.now)}`,
  ];
}

/** "next start in 2m10s", for the container that waits longest. */
function nextStart({ containers, now }: PodFacts): string | undefined {
  const times = containers.flatMap((container) => nextStartMs(container) ?? []);
  if (times.length === 0) return undefined;
  const leftMs = Math.max(...times) - now;
  return leftMs <= 0 ? 'next start at any moment' : `next start in ${formatAge(leftMs)}`;
}

/** Wall ms at which the container's back-off ends. */
export function nextStartMs({ status, deaths }: ContainerFacts): number | undefined {
  const waiting = status?.state?.waiting;
  const ended = parseTime(status?.lastState?.terminated?.finishedAt ?? undefined);
  if (waiting?.reason !== 'CrashLoopBackOff' || ended === undefined) return undefined;
  const [newest] = deaths;
  if (newest?.backOffSeconds !== undefined) return newest.finishedMs + newest.backOffSeconds * 1000;
  const delay = /back-off (\d+h)?(\d+m)?([\d.]+s)? /.exec(waiting.message ?? '');
  if (delay === null) return undefined;
  const [, hours = '0', minutes = '0', seconds = '0'] = delay;
  return (
    ended + (Number.parseInt(hours, 10) * 3600 + Number.parseInt(minutes, 10) * 60 + Number.parseFloat(seconds)) * 1000
  );
}
