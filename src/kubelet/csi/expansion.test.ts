import { describe, expect, it } from 'vitest';
import type { PersistentVolume, PersistentVolumeClaim, PersistentVolumeClaimStatus } from '../../api/index.ts';
import { failedPatch, finishedPatch, growthOf, inProgressPatch, isFinal } from './expansion.ts';

const Mi = 1 << 20;
const volume = (storage: string): PersistentVolume => ({ metadata: { name: 'pv' }, spec: { capacity: { storage } } });
const claim = (status: PersistentVolumeClaimStatus): PersistentVolumeClaim => ({
  metadata: { name: 'c', namespace: 'n', resourceVersion: '7' },
  spec: {},
  status,
});
const sized = (storage: string, rest: PersistentVolumeClaimStatus = {}): PersistentVolumeClaim =>
  claim({ capacity: { storage }, ...rest });
const state = (of: string, allocated = '32Mi'): PersistentVolumeClaimStatus => ({
  allocatedResources: { storage: allocated },
  allocatedResourceStatuses: { storage: of },
});

describe('the node’s part of an expansion', () => {
  it.each([
    ['nothing is asked for', sized('16Mi'), { size: { bytes: 16 * Mi, known: 16 * Mi }, tells: 'nothing' }],
    ['another node did it', sized('32Mi', { allocatedResources: { storage: '32Mi' } }), 'nothing'],
    ['a resizer without states waits', sized('8Mi'), 'capacity'],
    ['the resizer waits', sized('8Mi', state('NodeResizePending')), 'state'],
    ['a node was killed on the way', sized('8Mi', state('NodeResizeInProgress')), 'state'],
    ['the claim has the size, and waits', sized('16Mi', state('NodeResizePending')), 'state'],
    ['the resizer is at work', sized('8Mi', state('ControllerResizeInProgress')), undefined],
    ['the resizer has only noted it', sized('8Mi', { allocatedResources: { storage: '16Mi' } }), undefined],
    ['the driver cannot', sized('8Mi', state('NodeResizeInfeasible')), undefined],
    ['the claim has no size', claim({}), undefined],
  ])('%s', (_, of, expected) => {
    const found = growthOf(of, volume('16Mi'));
    if (typeof expected === 'string') expect(found?.tells).toBe(expected);
    else expect(found).toEqual(expected);
    if (found !== undefined && found.tells !== 'nothing') expect(found.size.known).toBeLessThan(found.size.bytes);
  });

  it('needs a volume with a size', () => {
    expect(growthOf(sized('1Mi'), { spec: {} })).toBe(undefined);
  });
});

describe('the claim’s status', () => {
  const time = '2026-01-01T00:00:00Z';
  const pending = { type: 'FileSystemResizePending', status: 'True' };
  const own = { type: 'Own', status: 'True' };

  it('says that the expansion is under way, once', () => {
    expect(inProgressPatch(sized('8Mi', state('NodeResizePending')))).toEqual({
      metadata: { resourceVersion: '7' },
      status: { allocatedResourceStatuses: { storage: 'NodeResizeInProgress' } },
    });
    expect(inProgressPatch(sized('8Mi', state('NodeResizeInProgress')))).toBe(undefined);
  });

  it('has the size, and nothing of the expansion any more', () => {
    const before = sized('8Mi', { ...state('NodeResizeInProgress'), conditions: [pending, own] });
    expect(finishedPatch(before, volume('16Mi')).status).toEqual({
      capacity: { storage: '16Mi' },
      allocatedResourceStatuses: null,
      conditions: [own],
    });
    expect(finishedPatch(sized('8Mi'), volume('16Mi')).status).toEqual({
      capacity: { storage: '16Mi' },
      conditions: [],
    });
  });

  it.each([
    ['Internal', false],
    ['OutOfRange', true],
    ['InvalidArgument', true],
    ['NotFound', true],
  ])('says why the driver cannot, after %s', (code, isInfeasible) => {
    const { status } = failedPatch(sized('8Mi', { conditions: [own] }), code, 'no', time);
    expect(status).toEqual({
      ...(isInfeasible && { allocatedResourceStatuses: { storage: 'NodeResizeInfeasible' } }),
      conditions: [
        own,
        { type: 'NodeResizeError', status: 'True', lastTransitionTime: time, message: 'failed to expand pvc with no' },
      ],
    });
  });

  it('keeps the time of the first failure', () => {
    const first = { type: 'NodeResizeError', status: 'True', lastTransitionTime: '2025-01-01T00:00:00Z', message: 'x' };
    const { status } = failedPatch(sized('8Mi', { conditions: [first] }), 'Internal', 'no', time);
    expect(status).toMatchObject({ conditions: [{ lastTransitionTime: '2025-01-01T00:00:00Z' }] });
  });
});

it('a call that may still be under way has not failed', () => {
  const open = ['Canceled', 'DeadlineExceeded', 'Unavailable', 'ResourceExhausted', 'Aborted'];
  expect(open.map(isFinal)).toEqual(open.map(() => false));
  expect(isFinal('Internal')).toBe(true);
});
