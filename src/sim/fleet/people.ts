/** Requests of people in a fleet: repeated while the server cannot be reached. */
import { isAlreadyExists, isConflict, isNotFound } from '../../api/index.ts';
import { ConnectionError, type Random } from '../../lib/index.ts';
import type { Fleet } from './fleet.ts';

export class People {
  readonly #fleet: Pick<Fleet, 'sim'>;
  readonly #random: Random;
  #underWay = 0;

  constructor(fleet: Pick<Fleet, 'sim'>, random: Random) {
    this.#fleet = fleet;
    this.#random = random;
  }

  /** Requests that have no answer yet. */
  get underWay(): number {
    return this.#underWay;
  }

  /** Does it until there is an answer. An effect of a request whose answer was lost counts. */
  do(work: () => Promise<unknown>): void {
    this.#underWay += 1;
    this.#try(work);
  }

  #try(work: () => Promise<unknown>): void {
    const { sim } = this.#fleet;
    const done = (): void => {
      this.#underWay -= 1;
    };
    work().then(done, (error: unknown) => {
      if (error instanceof ConnectionError) {
        sim.after(1000 + this.#random.next() * 1000, 'people try again', () => this.#try(work));
        return;
      }
      done();
      if (isAlreadyExists(error) || isNotFound(error) || isConflict(error)) return;
      sim.fail(error);
    });
  }
}
