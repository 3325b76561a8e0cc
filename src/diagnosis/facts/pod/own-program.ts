/** Finds what another program of the same container said, where one of them is refused by the container itself. Pure. */
import { type DecisiveLine, isAccessLine, readLog, saysAgain } from '../../../log-analysis/index.ts';
import type { ContainerFacts } from './container-facts.ts';

/** The error of the log that is not about the refusal; undefined: there is none that is sure. */
export function saidBesideRefusal({ lines }: ContainerFacts, refusal: string): DecisiveLine | undefined {
  const others = lines.filter((line) => !saysAgain(line, refusal) && !isAccessLine(line) && !/refused/i.test(line));
  const { decisive } = readLog(others, { livedMs: 0 });
  return decisive?.firmness === 'firm' ? decisive : undefined;
}
