/** Finds the error that a program has not overcome while a probe of it fails: the one that decides, or one that comes with each try. */
import { saysAgain } from '../../../log-analysis/index.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { dependencyTrouble, isItself, type Trouble } from '../peers/dependencies.ts';

/** The peer that refused it last, or had no name, which nothing later in its log overcame. */
export function unresolvedTrouble(container: ContainerFacts): Trouble | undefined {
  const trouble = dependencyTrouble({ ...withUnresolved(container), failing: undefined });
  return trouble === undefined || trouble.word.fromEnd > 2 || isItself(trouble) ? undefined : trouble;
}

/** The container, with that error where rules look for what decides; without one as it is. */
export function withUnresolved(container: ContainerFacts): ContainerFacts {
  const { reading, failing } = container;
  const repeated = failing !== undefined && isRepeated(container, failing.line) ? failing : undefined;
  const decisive = reading.decisive ?? repeated;
  return decisive === undefined ? container : { ...container, reading: { ...reading, decisive } };
}

/** Whether its last error comes with each try, so that more time does not help. */
export function isRepeating(container: ContainerFacts): boolean {
  const { decisive } = withUnresolved(container).reading;
  return decisive !== undefined && isRepeated(container, decisive.line);
}

/** Whether the error stands in the log more than once, the last time near its end: it comes with each try. */
function isRepeated({ lines }: ContainerFacts, line: string): boolean {
  const places = lines.flatMap((each, place) => (saysAgain(each, line) ? [place] : []));
  return places.length > 1 && (places.at(-1) ?? 0) >= lines.length - MAX_AFTER;
}

/**
 * Whether the error comes with each request: it stands there more than once, with other lines between, and last right before the end.
 * What the workers of a server say at its start stands together.
 */
export function comesWithRequests({ lines }: ContainerFacts, line: string): boolean {
  const places = lines.flatMap((each, place) => (saysAgain(each, line) ? [place] : []));
  const last = places.at(-1) ?? -1;
  return last >= lines.length - MAX_AFTER_REQUEST && places.some((place) => place < last - 1);
}

/** A request that failed is followed by its access log, and by one or two others. */
const MAX_AFTER_REQUEST = 8;

/** Lines that a trace and a new try may put below an error. */
const MAX_AFTER = 30;
