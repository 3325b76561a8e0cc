/** Finds what a container that says nothing itself writes into a file that another container of its pod prints. Pure. */
import { type DecisiveLine, decisiveLine } from '../../../log-analysis/index.ts';
import type { Container } from '../../evidence/kinds.ts';
import type { PodEvidence } from '../../evidence/pod-evidence.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { endedByItself } from './last-words.ts';

export interface SaidBeside {
  readonly container: ContainerFacts;
  /** The volume that both mount. */
  readonly volume: string;
  readonly said: DecisiveLine;
}

/** Whether a container has ended, or is not ready, and its log does not say why. */
export function isMute(container: ContainerFacts): boolean {
  const { reading, status, lines } = container;
  if (reading.decisive !== undefined || reading.lastError !== undefined) return false;
  return endedByItself(container) || (container.kind === 'container' && status?.ready === false && lines.length === 0);
}

/** The running containers beside a mute one that mount a volume which both could write and read. */
export function printersFor(
  { pod }: Pick<PodEvidence, 'pod'>,
  container: ContainerFacts,
  all: readonly ContainerFacts[],
): readonly { readonly printer: ContainerFacts; readonly volume: string }[] {
  const empty = (pod.spec?.volumes ?? []).filter(
    ({ emptyDir, hostPath, persistentVolumeClaim, ephemeral }) =>
      (emptyDir ?? hostPath ?? persistentVolumeClaim ?? ephemeral) !== undefined,
  );
  const names = new Set(empty.map(({ name }) => name));
  const own = mountsOf(container.spec).filter((name) => names.has(name));
  return all.flatMap((other) => {
    if (other === container || other.kind === 'init' || other.status?.state?.running === undefined) return [];
    const volume = mountsOf(other.spec).find((name) => own.includes(name));
    return volume === undefined ? [] : [{ printer: other, volume }];
  });
}

/** The first of them whose log has a line that decides. */
export function saidBeside(
  evidence: Pick<PodEvidence, 'pod'>,
  container: ContainerFacts,
  all: readonly ContainerFacts[],
): SaidBeside | undefined {
  if (!isMute(container)) return undefined;
  for (const { printer, volume } of printersFor(evidence, container, all)) {
    const said = decisiveLine(printer.lines);
    if (said !== undefined) return { container: printer, volume, said };
  }
  return undefined;
}

function mountsOf({ volumeMounts = [] }: Container): readonly string[] {
  return volumeMounts.map(({ name }) => name);
}
