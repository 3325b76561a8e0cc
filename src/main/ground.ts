/** The parts that each half of a host needs: time, chance, a log, and the loops that run beside each other. */
import { systemClock } from '../lib/clock.node.ts';
import type { Clock, Logger, Random } from '../lib/index.ts';
import { systemRandom } from '../lib/random.node.ts';
import { Background } from './background.ts';

export interface Ground {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly background: Background;
}

export function layGround(logger: Logger): Ground {
  return { clock: systemClock, random: systemRandom, logger, background: new Background(logger) };
}
