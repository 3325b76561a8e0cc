/** Prints one death with all of its facts. Pure. */
import type { DeathRecord } from '../../api/index.ts';
import { visibleLine } from '../../lib/index.ts';
import { maskSecrets } from '../../log-analysis/index.ts';
import { listeningText } from '../../diagnosis/index.ts';
import { backOffText, cpuText, exitText, oomText, ranText, requestText, sandboxText } from './death-text.ts';
import { ageText } from './history-table.ts';
import type { PickedDeath } from './pick-death.ts';

/** Lines without line ends. `now`: wall ms. */
export function deathLines({ pod, container, death }: PickedDeath, now: number): readonly string[] {
  const { namespace, name, uid } = pod.metadata;
  return [
    `Death ${death.number} of ${container.total} of container ${container.name} in pod ${namespace}/${name}`,
    ...fields([
      [
        'Pod',
        `uid ${uid}, on node ${pod.nodeName}${pod.goneAt === undefined ? '' : `, gone ${ageText(pod.goneAt, now)}`}`,
      ],
      ['Container', `${death.containerId}, restart count ${death.restartCount}`],
      ['Image', death.image],
      ['Started', death.startedAt],
      [
        death.survived === true ? 'Seen' : 'Ended',
        `${death.finishedAt} (${ageText(death.finishedAt, now)}), after ${ranText(death)}`,
      ],
      ['Exit code', death.survived === true ? 'none: the container lives on' : exitText(death)],
      ['Reason', death.reason],
      ['Message', death.message],
      ['It says', death.log?.says],
      ['Memory', death.oom && `${oomText(death.oom)} (told by: ${death.oom.sources.join(', ')})`],
      ['CPU', death.cpu && cpuText(death.cpu)],
      ['Asked for', death.requested && requestText(death.requested).replace(/^asked for ?/, '')],
      ['Sandbox', death.sandboxLost === undefined ? undefined : sandboxText(death)],
      ['Back-off', death.survived === true ? undefined : backOffText(death)],
      ['Rung', death.rung],
    ]),
    ...probeLines(death),
    ...list(
      'Before',
      (death.changes ?? []).map(({ at, what }) => `${at}  ${what}`),
    ),
    ...logLines(death),
  ];
}

function fields(pairs: readonly (readonly [string, string | undefined])[]): readonly string[] {
  return pairs.flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [`  ${`${name}:`.padEnd(15)} ${visibleLine(maskSecrets(value))}`],
  );
}

function probeLines({ probe }: DeathRecord): readonly string[] {
  if (probe === undefined) return [];
  const outputs = probe.outputs.map(({ at, output }) => `${at}  ${visibleLine(maskSecrets(output)) || '(no output)'}`);
  const lines = outputs.length === 0 ? ['its outputs were seen by an earlier agent and are lost'] : outputs;
  const { listening } = probe;
  return [
    ...list(`Failed ${probe.type} probe, newest first`, lines),
    ...(listening === undefined ? [] : [`  Ports listened on then: ${listeningText(listening)}`]),
  ];
}

function list(head: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`  ${head}:`, ...lines.map((line) => `    ${line}`)];
}

function logLines({ log }: DeathRecord): readonly string[] {
  if (log === undefined) return ['  Log:            lost'];
  if (log.tail === '') return ['  Log:            empty'];
  const lines = maskSecrets(log.tail.replace(/\n$/, '')).split('\n');
  return [`  Log${log.truncated ? ' (its end)' : ''}:`, ...lines.map((line) => `    ${line}`)];
}
