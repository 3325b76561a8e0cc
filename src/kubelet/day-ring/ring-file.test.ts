import { describe, expect, test } from 'vitest';
import { encodeText } from '../../lib/index.ts';
import type { StoredDay } from './day-ring.ts';
import { MAX_FILE_BYTES, MAX_WORKLOAD_BYTES } from './limits.ts';
import { fitting, formatRing, formatWorkload, parseRing } from './ring-file.ts';

type Workload = StoredDay['workloads'][number];

function workload(name = 'api', buckets = 3): Workload {
  return {
    name: { kind: 'Deployment', namespace: 'shop', name },
    owners: ['rs'],
    pods: ['p1', 'p2'],
    spans: [{ from: 96, buckets: 12, healed: 1, alone: 1, totalMs: 110.5, classes: [[14, 1]] }],
    first: 1001 - buckets,
    seen: Uint8Array.from({ length: buckets }, (_, at) => at % 32),
    restarts: [[1, 2]],
    deaths: [[1, 1]],
    cpu: Uint16Array.from({ length: buckets }, (_, at) => at * 200),
    memory: Uint16Array.from({ length: buckets }, (_, at) => 65_535 - at),
    tracks: [{ uid: 'p1', restarts: 2, owes: true, outage: { since: 5, human: false } }],
  };
}

const HEAD = { savedAt: 1000 * 300_000 + 7, bucket: 1000 };

function fileOf(...workloads: readonly Workload[]): Uint8Array {
  return formatRing(HEAD, fitting(workloads.map(formatWorkload)).fit);
}

test('what is written is read again', () => {
  const workloads = [workload(), workload('wéb', 288), { ...workload('new', 1), tracks: [] }];
  expect(parseRing(fileOf(...workloads))).toEqual({ ok: true, value: { ...HEAD, workloads } });
  expect(parseRing(fileOf())).toEqual({ ok: true, value: { ...HEAD, workloads: [] } });
});

test('a full day of a workload takes less than two kilobytes', () => {
  expect(formatWorkload(workload('api', 288))?.length).toBeLessThan(2048);
});

describe('a file that cannot be used', () => {
  test('cut anywhere, it is no ring, and breaks nothing', () => {
    const file = fileOf(workload(), workload('web'));
    for (let length = 0; length < file.length; length += 1) expect(parseRing(file.slice(0, length)).ok).toBe(false);
  });

  test('with any byte changed, it is none', () => {
    const file = fileOf(workload());
    for (let at = 0; at < file.length; at += 1) {
      const other = file.slice();
      other[at] = (other[at] ?? 0) ^ 0x41;
      expect(parseRing(other).ok).toBe(false);
    }
  });

  test.each([
    ['', 'it does not begin as a record of a day does'],
    ['{"format":"1"}\nxxxxx', 'it does not begin as a record of a day does'],
    ['{"format":2,"savedAt":1}\nxxxxx', 'its format is 2, and this mendlet knows 1'],
    [`{"format":1}\nabcd`, 'its checksum is wrong'],
  ])('%j: %s', (text, problem) => {
    expect(parseRing(encodeText(text))).toEqual({ ok: false, problem });
  });

  test.each<[string, (one: Workload) => object]>([
    ['a name that is none', (one) => ({ ...one, name: { ...one.name, name: 7 } })],
    ['a count that is none', (one) => ({ ...one, restarts: [[1]] })],
    ['a span that is none', (one) => ({ ...one, spans: [{ from: 1 }] })],
    ['a class of durations that there is not', (one) => ({ ...one, spans: [{ ...one.spans[0], classes: [[97, 1]] }] })],
    ['a pod that is none', (one) => ({ ...one, tracks: [{ uid: 'p' }] })],
    ['more buckets than a day', (one) => ({ ...one, ...workload('api', 289), first: 0 })],
  ])('%s', (_name, change) => {
    expect(parseRing(fileOf(change(workload()) as Workload))).toEqual({ ok: false, problem: 'workload 1 is damaged' });
  });

  test('a time that is not in its bucket', () => {
    expect(parseRing(formatRing({ ...HEAD, bucket: 999 }, []))).toMatchObject({ ok: false });
  });
});

describe('what does not fit', () => {
  test('a workload that is too large is left out', () => {
    const pods = Array.from({ length: 1000 }, (_, at) => ({ uid: `pod-${at}`.padEnd(64), restarts: 0, owes: true }));
    expect(formatWorkload({ ...workload(), tracks: pods })).toBeUndefined();
    expect(fitting([undefined, new Uint8Array(1)])).toEqual({ fit: [new Uint8Array(1)], leftOut: 1 });
  });

  test('the file has its bound when it is written', () => {
    const large = Array.from({ length: 1000 }, () => new Uint8Array(MAX_WORKLOAD_BYTES));
    const { fit, leftOut } = fitting(large);
    expect(fit.length + leftOut).toBe(1000);
    expect(formatRing(HEAD, fit).length).toBeLessThanOrEqual(MAX_FILE_BYTES);
  });
});
