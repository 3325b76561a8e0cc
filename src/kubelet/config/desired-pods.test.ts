import { describe, expect, it } from 'vitest';
import { testPod, UID } from '../plan/plan.fixtures.ts';
import { DesiredPods } from './desired-pods.ts';

describe('DesiredPods', () => {
  it('keeps a removed pod as it was last seen, until its worker is done with it', () => {
    const dirty: string[] = [];
    const desired = new DesiredPods((uid, cause) => dirty.push(`${uid} ${cause}`));
    const source = desired.addSource('api');
    source.put(testPod());
    source.remove(testPod({}, { deletionGracePeriodSeconds: 0 }));
    expect(desired.get(UID)).toMatchObject({ wanted: false, pod: { metadata: { deletionGracePeriodSeconds: 0 } } });
    desired.forget(UID);
    expect(desired.get(UID)).toBeUndefined();
    expect(dirty).toEqual([`${UID} config`, `${UID} config`]);
  });

  it('does not forget a pod that is wanted, nor take in one that was never there', () => {
    const desired = new DesiredPods(() => {});
    const source = desired.addSource('api');
    source.put(testPod());
    desired.forget(UID);
    expect(desired.get(UID)?.wanted).toBe(true);
    source.remove(testPod({}, { uid: 'other' }));
    expect(desired.uids()).toEqual([UID]);
  });

  it('tells of a pod that arrives once, however often it changes', () => {
    const desired = new DesiredPods(() => {});
    const arrived: unknown[] = [];
    desired.onArrival(({ metadata }) => arrived.push(metadata?.uid));
    const source = desired.addSource('api');
    source.put(testPod());
    source.put(testPod({}, { labels: { a: 'b' } }));
    source.remove(testPod());
    expect(arrived).toEqual([UID]);
  });

  it('is synced when every source is, and says so once', () => {
    const desired = new DesiredPods(() => {});
    const [api, folder] = [desired.addSource('api'), desired.addSource('folder')];
    let told = 0;
    desired.onSynced(() => (told += 1));
    api.markSynced();
    expect([desired.synced(), desired.unsynced(), told]).toEqual([false, ['folder'], 0]);
    folder.markSynced();
    folder.markSynced();
    expect([desired.synced(), told]).toEqual([true, 1]);
  });
});
