/** Runs the short form of `npm run soak`: each kind of disaster once, under churn. */
import { afterAll, describe, expect, it } from 'vitest';
import { DISASTERS } from '../soak/disasters.ts';
import { smallDisk } from '../soak/small-disk.ts';
import { soak } from '../soak/soak-run.ts';
import { Mendlet } from './harness.ts';

describe('a short soak', () => {
  const disk = smallDisk();
  const mendlet = new Mendlet({ podNetwork: 213, ...(disk && { parent: disk.path }) });
  afterAll(async () => {
    await mendlet.down();
    disk?.remove();
  });

  it('leaves nothing behind, touches no running container, and runs nothing twice', async () => {
    const lines: string[] = [];
    const result = await soak({
      mendlet,
      seed: 20_261_121,
      minutes: 0,
      strikes: 3,
      smallDisk: disk !== undefined,
      say: (line) => lines.push(line),
      first: DISASTERS.map(({ name }) => name),
    }).catch((error: unknown) => {
      throw new Error(`${lines.join('\n')}\n${mendlet.log.split('\n').slice(-40).join('\n')}`, { cause: error });
    });
    expect(result.rounds).toBe(2);
    expect(result.restarts).toBeGreaterThan(10);
  });
});
