import { expect, it } from 'vitest';
import type { ContainerStatus } from '../../cri/index.ts';
import { POD_UID_LABEL } from '../pods/ownership.ts';
import { emptyBook, type PodBook } from './death-book.ts';
import { NO_EVIDENCE, type OomEvidence } from './oom-proofs.ts';
import { OomReasons } from './oom-reasons.ts';

const ID = 'a'.repeat(64);
const REPORT = { containerId: ID, name: 'tail', pid: 7 };
/** Wall ms. */
const STARTED_AT = 1000;
const COUNTED = { oomKills: 1, peakBytes: 64, limitBytes: 64 };

function status(given: Partial<ContainerStatus> = {}): ContainerStatus {
  const labels = { [POD_UID_LABEL]: 'u' };
  return {
    id: ID,
    state: 'exited',
    exitCode: 137,
    reason: 'Error',
    finishedAt: 500,
    labels,
    ...given,
  } as ContainerStatus;
}

function bookWith(death: object): PodBook {
  const book = emptyBook({ namespace: 'shop', name: 'web', uid: 'u' });
  const deaths = [{ number: 1, containerId: ID, finishedAt: '2026-01-01T00:00:00Z', exitCode: 137, ...death }];
  return { ...book, containers: [{ name: 'main', total: 1, deaths }] } as unknown as PodBook;
}

it.each<[string, Partial<ContainerStatus>, OomEvidence, PodBook | undefined, string]>([
  ['the log of the kernel names it', {}, { ...NO_EVIDENCE, reports: [REPORT] }, undefined, 'OOMKilled'],
  ['the counter of its cgroup has the kill', {}, { ...NO_EVIDENCE, counted: COUNTED }, undefined, 'OOMKilled'],
  ['an earlier agent has recorded it', {}, NO_EVIDENCE, bookWith({ oom: { sources: ['kernel-log'] } }), 'OOMKilled'],
  [
    'this agent would know better than the record',
    { finishedAt: 2000 },
    NO_EVIDENCE,
    bookWith({ oom: { sources: ['kernel-log'] } }),
    'Error',
  ],
  ['nothing says so', {}, NO_EVIDENCE, undefined, 'Error'],
  ['the kill is recorded, and was survived', {}, { ...NO_EVIDENCE, counted: COUNTED, told: 1 }, undefined, 'Error'],
  ['its record says no more', {}, NO_EVIDENCE, bookWith({}), 'Error'],
  [
    'its record is of a survival',
    {},
    NO_EVIDENCE,
    bookWith({ survived: true, oom: { sources: ['kernel-log'] } }),
    'Error',
  ],
  ['it ended by itself', { exitCode: 1 }, { ...NO_EVIDENCE, reports: [REPORT] }, undefined, 'Error'],
  ['it could not start', { reason: 'StartError' }, { ...NO_EVIDENCE, reports: [REPORT] }, undefined, 'StartError'],
  ['it runs', { state: 'running', reason: '' }, { ...NO_EVIDENCE, reports: [REPORT] }, undefined, ''],
])('%s', async (_what, given, evidence, book, reason) => {
  const reasons = new OomReasons({ evidence: () => evidence, book: async () => book, startedAt: STARTED_AT });
  expect((await reasons.of(status(given))).reason).toBe(reason);
});

it('says the same again when the evidence is put away, and nothing when the record cannot be read', async () => {
  let evidence: OomEvidence = { ...NO_EVIDENCE, reports: [REPORT] };
  const book = async (): Promise<PodBook | undefined> => {
    throw new Error('the disk is gone');
  };
  const reasons = new OomReasons({ evidence: () => evidence, book, startedAt: STARTED_AT });
  expect((await reasons.of(status())).reason).toBe('OOMKilled');
  expect(reasons.isOurs(ID)).toBe(true);
  evidence = NO_EVIDENCE;
  expect((await reasons.of(status())).reason).toBe('OOMKilled');
  expect((await reasons.of(status({ id: 'b'.repeat(64) }))).reason).toBe('Error');
  // The runtime's own word.
  expect((await reasons.of(status({ id: 'c'.repeat(64), reason: 'OOMKilled' }))).reason).toBe('OOMKilled');
  expect(['b', 'c'].map((id) => reasons.isOurs(id.repeat(64)))).toEqual([false, false]);
});
