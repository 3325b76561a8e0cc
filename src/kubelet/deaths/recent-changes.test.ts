import { describe, expect, it } from 'vitest';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { testPod } from '../plan/plan.fixtures.ts';
import { CHANGES_WINDOW_MS, MAX_CHANGES } from './limits.ts';
import { RecentChanges } from './recent-changes.ts';

const pod = testPod({
  containers: [
    { name: 'main', image: 'a', envFrom: [{ configMapRef: { name: 'env' } }] },
    { name: 'side', image: 'b', env: [{ name: 'X', valueFrom: { secretKeyRef: { name: 'key', key: 'k' } } }] },
  ],
  volumes: [{ name: 'v', projected: { sources: [{ configMap: { name: 'files' } }] } }],
});

function changes() {
  const clock = createManualClock();
  const recent = new RecentChanges(clock);
  const whats = (startedAt = 0, of = pod) =>
    recent.before(of, { startedAt, endedAt: clock.now().wall }).map(({ what }) => what);
  return { clock, recent, whats };
}

describe('what changed before a death', () => {
  it('is told of the objects that the pod uses, newest first', async () => {
    const { clock, recent, whats } = changes();
    recent.object('ConfigMap', 'default', 'env', { before: '5', after: '9' });
    await clock.advance(1);
    recent.object('Secret', 'default', 'key', { before: undefined, after: '11' });
    await clock.advance(1);
    recent.object('ConfigMap', 'default', 'files', { before: '12', after: undefined });
    recent.object('ConfigMap', 'other', 'env', { before: '1', after: '2' });
    recent.object('ConfigMap', 'default', 'unused', { before: '1', after: '2' });
    recent.object('ConfigMap', 'default', 'env', { before: '9', after: '9' });
    expect(whats()).toEqual([
      'ConfigMap files was deleted (resourceVersion 12)',
      'Secret key was made (resourceVersion 11)',
      'ConfigMap env changed (resourceVersion 5 → 9)',
    ]);
  });

  it('is told of the pod itself', () => {
    const { recent, whats } = changes();
    recent.pod(pod, { sandboxAttempt: 0 });
    const changed = testPod({ containers: [{ name: 'main', image: 'a2' }] }, { generation: 2 });
    recent.pod(changed, { sandboxAttempt: 1, recovery: { id: '1', cause: 'service/db became ready' } });
    recent.pod(changed, { sandboxAttempt: 1, recovery: { id: '2', cause: 'service/db became ready' } });
    expect(whats(0, changed).toSorted()).toEqual([
      'container main has another image (a → a2)',
      'service/db became ready',
      'service/db became ready',
      'the pod got a new sandbox',
      "the pod's spec changed (generation 1 → 2)",
    ]);
    recent.forget(changed.metadata?.uid ?? '');
    expect(whats(0, changed)).toEqual([]);
  });

  it('a deletion changes no spec, though it counts as a generation', () => {
    const { recent, whats } = changes();
    recent.pod(pod, { sandboxAttempt: 0 });
    const deleted = {
      ...pod,
      metadata: { ...pod.metadata, name: 'p', generation: 2, deletionTimestamp: '2026-01-31T12:00:00Z' },
    };
    recent.pod(deleted, { sandboxAttempt: 0 });
    expect(whats(0, deleted)).toEqual([]);
  });

  it('is told of the node: an agent’s restart to those alone who ran then', () => {
    const { clock, recent, whats } = changes();
    const { wall } = clock.now();
    recent.node('the node booted', { at: wall - 1000 });
    recent.node('restarted', { at: wall - 500, toRunning: true });
    expect(whats(wall - 600)).toEqual(['restarted', 'the node booted']);
    expect(whats(wall - 400)).toEqual(['the node booted']);
    // A container that could not be started ran at no time.
    expect(whats(0)).toEqual(['the node booted']);
  });

  it('is of the last ten minutes, and bounded', async () => {
    const { clock, recent, whats } = changes();
    for (let n = 0; n < 3 * MAX_CHANGES; n += 1) recent.node(`change ${n}`);
    expect(whats().length).toBe(MAX_CHANGES);
    await clock.advance(CHANGES_WINDOW_MS);
    expect(whats()).toEqual([]);
  });
});
