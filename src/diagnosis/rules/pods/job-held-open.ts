/** Rule: a container of a Job's pod has done its work, and another main container keeps the pod, and so the Job, from ending. */
import { controllerOf } from '../../../api/index.ts';
import { parseTime } from '../../../lib/index.ts';
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { formatAge, listed } from '../../facts/words/text.ts';
import { HELD_OPEN_MS } from '../../limits.ts';
import { NOTHING, type PodRule } from '../../rule.ts';

export const jobHeldOpen: PodRule = ({ pod, name, now, finished, deleting, containers, commands }) => {
  const owner = controllerOf(pod);
  if (owner?.kind !== 'Job' || finished || deleting) return NOTHING;
  const main = containers.filter(({ kind }) => kind === 'container');
  const done = main.filter(({ status }) => status?.state?.terminated?.exitCode === 0);
  const holders = main.filter(({ status }) => status?.state?.running !== undefined);
  // A container that has failed, or waits, has a finding of its own.
  if (done.length === 0 || holders.length === 0 || done.length + holders.length < main.length) return NOTHING;
  const sinceMs = Math.max(...done.map(endedMs));
  if (Number.isNaN(sinceMs)) return NOTHING;
  // One that follows the others may still end by itself.
  const isYoung = now - sinceMs < HELD_OPEN_MS;
  const [first] = holders;
  const doneNames = listed(done.map((one) => one.name));
  const ended = done.length === 1 ? `container ${doneNames} has` : `containers ${doneNames} have`;
  const still = `${listed(holders.map((one) => one.name))} still ${holders.length === 1 ? 'runs' : 'run'}`;
  return [
    {
      id: 'job-held-open',
      severity: isYoung ? 'info' : 'warning',
      rank: 50,
      topic: 'job',
      container: first?.name,
      says: `job ${owner.name} ${isYoung ? 'is not complete yet' : 'does not complete'}: ${ended} ended well ${formatAge(now - sinceMs)} ago, but ${still}; a container that only serves others belongs in initContainers with restartPolicy: Always`,
      evidence: main.map((one) => ({
        source: 'field' as const,
        path: `status.containerStatuses[${one.name}].state`,
        value: stateText(one),
      })),
      try: [
        ...holders.slice(0, 1).map((one) => commands.kubectl('logs', name, '-c', one.name, '--tail=20')),
        ...commands.edit,
      ],
      manifest: `initContainers:\n${holders.map((one) => `- name: ${one.name}\n  restartPolicy: Always\n`).join('')}`,
    },
  ];
};

/** Wall ms; NaN for an end without a time. */
function endedMs({ status }: ContainerFacts): number {
  return parseTime(status?.state?.terminated?.finishedAt ?? undefined) ?? Number.NaN;
}

function stateText({ status }: ContainerFacts): string {
  const { terminated, running } = status?.state ?? {};
  return terminated === undefined
    ? `running since ${running?.startedAt ?? '?'}`
    : `terminated with exit code ${terminated.exitCode} at ${terminated.finishedAt ?? '?'}`;
}
