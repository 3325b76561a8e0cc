import { describe, expect, it } from 'vitest';
import { OOM_TAKE_BACK_MS } from './limits.ts';
import { asTold, bytesText, lossText, NO_EVIDENCE, proofOf, withoutSurvival } from './oom-proofs.ts';

const report = { containerId: 'c', name: 'tail', pid: 7, rssBytes: 5, limitBytes: 64, usageBytes: 63 };
const none = { byRuntime: false, limitBytes: 99 };

describe('proofOf', () => {
  it.each([
    ['nothing', NO_EVIDENCE, none, undefined],
    ['a counter at rest', { ...NO_EVIDENCE, counted: { oomKills: 0, peakBytes: 9 } }, none, undefined],
    ['kills that were told', { ...NO_EVIDENCE, counted: { oomKills: 2 }, told: 2 }, none, undefined],
    [
      'a kill that was not told',
      { ...NO_EVIDENCE, counted: { oomKills: 3, peakBytes: 60, limitBytes: 64 }, told: 2 },
      none,
      { kills: 3, limitBytes: 64, peakBytes: 60, sources: ['cgroup'] },
    ],
    [
      'the kernel log alone',
      { ...NO_EVIDENCE, reports: [report] },
      none,
      { limitBytes: 64, peakBytes: 63, processes: [{ name: 'tail', pid: 7, rssBytes: 5 }], sources: ['kernel-log'] },
    ],
    ['the runtime’s event alone', { ...NO_EVIDENCE, announced: true }, none, { limitBytes: 99, sources: ['runtime'] }],
    [
      'the runtime’s reason, with counters from before',
      { ...NO_EVIDENCE, counted: { oomKills: 0, peakBytes: 50, limitBytes: 64 } },
      { byRuntime: true, limitBytes: 99 },
      { limitBytes: 64, peakBytes: 50, sources: ['runtime'] },
    ],
  ])('%s', (_name, evidence, more, wanted) => {
    expect(proofOf(evidence, more)).toEqual(wanted);
  });
});

describe('a survival that was told', () => {
  const before = {
    ...NO_EVIDENCE,
    counted: { oomKills: 3, peakBytes: 60 },
    told: 2,
    announced: true,
    reports: [report],
  };
  const told = asTold(before, 1000);
  const killed = { exitCode: 137, finishedAt: 900 };
  it.each([
    ['an end before it was told', told, killed, true],
    ['an end soon after', told, { ...killed, finishedAt: 1000 + OOM_TAKE_BACK_MS }, true],
    ['an end later', told, { ...killed, finishedAt: 1001 + OOM_TAKE_BACK_MS }, false],
    ['an end of its own', told, { ...killed, exitCode: 1 }, false],
    ['another kill since', { ...told, counted: { oomKills: 4 } }, killed, false],
    ['nothing told', before, killed, false],
  ])('%s', (_name, evidence, end, isNone) => {
    expect(withoutSurvival(evidence, end)).toEqual(isNone ? before : undefined);
  });

  it('leaves nothing to tell, and taken back all that there was', () => {
    expect(proofOf(told, none)).toBeUndefined();
    const later = { ...report, pid: 8 };
    const again = withoutSurvival({ ...told, reports: [later] }, killed);
    expect(again && proofOf(again, none)).toEqual(proofOf({ ...before, reports: [report, later] }, none));
  });
});

describe('lossText', () => {
  const proof = { limitBytes: 64 * 1024 * 1024, processes: [{ name: 'worker', pid: 123 }], sources: [] };
  it.each([
    [proof, 1, 'process worker (pid 123) was killed for memory (limit 64Mi)'],
    [proof, 3, '3 processes were killed for memory (limit 64Mi), last worker (pid 123)'],
    [{ sources: [] }, 1, 'a process was killed for memory'],
    [{ sources: [] }, 2, '2 processes were killed for memory'],
  ])('%#', (given, kills, wanted) => {
    expect(lossText(given, kills)).toBe(wanted);
  });
});

it.each([
  [67_108_864, '64Mi'],
  [1_000_000, '1000000'],
  [1_536, '1536'],
  [1_610_612_736, '1536Mi'],
  [0, '0'],
])('%d bytes are %s', (bytes, wanted) => {
  expect(bytesText(bytes)).toBe(wanted);
});
