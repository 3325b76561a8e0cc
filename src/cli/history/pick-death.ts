/** Finds the death that a number means. Pure. */
import type { ContainerHistory, DeathRecord, PodHistory } from '../../api/index.ts';
import { UsageError } from '../usage-error.ts';

export interface PickedDeath {
  readonly pod: PodHistory;
  readonly container: ContainerHistory;
  readonly death: DeathRecord;
}

/**
 * Death `number` of a container: 1 is its first, -1 its last. Without a container's name the one that has such a death is taken;
 * of several, the one that failed.
 *
 * @param pod one life of the pod
 * @throws UsageError that names the deaths that exist
 */
export function pickDeath(pod: PodHistory, container: string | undefined, number: number): PickedDeath {
  const containers = diedIn(pod).filter(({ name }) => container === undefined || name === container);
  if (containers.length === 0) throw new UsageError(nothingOf(pod, container));
  const found = containers.flatMap((each) => {
    const death = deathOf(each, number);
    return death === undefined ? [] : [{ pod, container: each, death }];
  });
  const [only, ...others] = found;
  if (only === undefined) throw new UsageError(missing(pod, containers, number));
  if (others.length === 0) return only;
  const failed = found.filter(({ death }) => death.exitCode !== 0);
  if (failed.length === 1 && failed[0] !== undefined) return failed[0];
  const names = found.map((each) => `-c ${each.container.name}`).join(', ');
  throw new UsageError(`Death ${number} of which container of ${nameOf(pod)}? Give ${names}.`);
}

/** The containers with deaths; the others are listed only for their failed probes. */
export function diedIn({ containers }: PodHistory): readonly ContainerHistory[] {
  return containers.filter(({ total }) => total > 0);
}

function deathOf({ total, deaths }: ContainerHistory, number: number): DeathRecord | undefined {
  const wanted = number < 0 ? total + 1 + number : number;
  return deaths.find((death) => death.number === wanted);
}

/** "1, 5-54": the numbers of the remembered deaths. */
export function numbersText(deaths: readonly DeathRecord[]): string {
  const ranges: { from: number; to: number }[] = [];
  for (const { number } of deaths) {
    const last = ranges.at(-1);
    if (last !== undefined && last.to === number - 1) last.to = number;
    else ranges.push({ from: number, to: number });
  }
  return ranges.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`)).join(', ');
}

function missing(pod: PodHistory, containers: readonly ContainerHistory[], number: number): string {
  const kept = containers.map(({ name, total, deaths }) => {
    const forgotten = total > deaths.length ? ` of ${total}, the others are forgotten` : '';
    return `container ${name}: ${numbersText(deaths)}${forgotten}`;
  });
  return `${nameOf(pod)} has no death ${number}. There are: ${kept.join('; ')}.`;
}

function nothingOf(pod: PodHistory, container: string | undefined): string {
  const names = diedIn(pod).map(({ name }) => name);
  const others = names.length === 0 ? '' : ` Those that died: ${names.join(', ')}.`;
  return `no death is known of ${container === undefined ? '' : `container ${container} of `}${nameOf(pod)}.${others}`;
}

function nameOf({ metadata }: PodHistory): string {
  return `pod/${metadata.name}`;
}
