import { expect, it } from 'vitest';
import { silentLogger } from '../../lib/index.ts';
import { createManualClock, settle } from '../../lib/manual-clock.node.ts';
import { DriverStats, type PodVolumeStats } from './driver-stats.ts';
import { STATS_MAX_AGE_MS, STATS_WAIT_MS } from './limits.ts';

it('asks once a minute, waits briefly, and tells each answer once', async () => {
  const clock = createManualClock();
  let answer: () => Promise<PodVolumeStats> = async () => new Map();
  let asked = 0;
  const told: string[] = [];
  const stats = new DriverStats({ clock, logger: silentLogger }, () => {
    asked += 1;
    return answer();
  });
  const look = (): Promise<PodVolumeStats> =>
    stats.of('u', (said) => {
      for (const [name, { condition }] of said) told.push(`${name}: ${condition?.message}`);
    });
  const sick = (message: string): PodVolumeStats => new Map([['v', { condition: { isAbnormal: true, message } }]]);

  await look();
  await look();
  expect(asked).toBe(1);
  answer = async () => sick('bad disk');
  await clock.advance(STATS_MAX_AGE_MS);
  expect((await look()).get('v')?.condition?.message).toBe('bad disk');
  await look();
  expect(told).toEqual(['v: bad disk']);
  answer = async () => sick('worse');
  await clock.advance(STATS_MAX_AGE_MS);
  await look();
  expect(told).toEqual(['v: bad disk', 'v: worse']);

  // A driver that hangs: the last figures, and no second question.
  answer = () => new Promise(() => {});
  await clock.advance(STATS_MAX_AGE_MS);
  const late = look();
  await settle();
  await clock.advance(STATS_WAIT_MS);
  expect((await late).get('v')?.condition?.message).toBe('worse');
  await clock.advance(STATS_MAX_AGE_MS);
  const before = asked;
  const again = look();
  await settle();
  await clock.advance(STATS_WAIT_MS);
  await again;
  expect(asked).toBe(before);
});
