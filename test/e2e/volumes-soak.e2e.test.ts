/** Runs the short form of `npm run soak -- --only volumes`: each kind of SIGKILL once, while writers write and claims come and go. */
import { expect, it } from 'vitest';
import { soakVolumes } from '../soak/volumes-soak.ts';

it('what fsync acknowledged outlives SIGKILL of server, agents and containerds, and nothing is left behind', async () => {
  const lines: string[] = [];
  const figures = await soakVolumes({
    seed: 20_261_123,
    minutes: 0.25,
    everyMs: 1500,
    podNetwork: 234,
    serviceCidr: '10.104.0.0/16',
    say: (line) => lines.push(line),
  }).catch((error: unknown) => {
    throw new Error(lines.join('\n'), { cause: error });
  });
  console.log(JSON.stringify(figures));
  expect(figures.strikes).toBeGreaterThanOrEqual(5);
  expect(figures.records).toBeGreaterThan(100);
});
