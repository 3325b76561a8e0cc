import { describe, expect, it } from 'vitest';
import type { RuntimeEvent } from '../../cri/index.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { MAX_ANNOUNCED } from './limits.ts';
import { type FoundChange, isAnnounced, SilenceWatch } from './silence-watch.ts';

const died: FoundChange = { type: 'ContainerDied', id: 'c', sandboxId: 's' };

describe('isAnnounced', () => {
  it.each([
    ['ContainerStarted', 'c', ['c started'], true],
    ['ContainerStarted', 'c', ['c stopped'], true],
    ['ContainerStarted', 'c', ['c created'], false],
    ['ContainerStarted', 's', ['s created'], true],
    ['ContainerDied', 'c', ['c started'], false],
    ['ContainerDied', 'c', ['c stopped'], true],
    ['ContainerDied', 'c', ['c oom'], false],
    ['ContainerDied', 'c', ['s stopped'], true],
    ['ContainerDied', 's', ['s stopped'], true],
    ['ContainerRemoved', 'c', ['c stopped'], false],
    ['ContainerRemoved', 'c', ['c deleted'], true],
    ['ContainerRemoved', 'c', ['s deleted'], true],
    ['ContainerDied', 'c', [], false],
  ] as const)('%s of %s after %j: %s', (type, id, events, expected) => {
    const heard = new Map<string, Set<RuntimeEvent['kind']>>();
    for (const event of events) {
      const [of = '', kind] = event.split(' ');
      heard.set(of, (heard.get(of) ?? new Set()).add(kind as RuntimeEvent['kind']));
    }
    expect(isAnnounced({ type, id, sandboxId: 's' }, (each) => heard.get(each))).toBe(expected);
  });
});

function watch() {
  const clock = createManualClock();
  const silent: FoundChange[] = [];
  const watching = new SilenceWatch({ clock, onSilent: (change) => silent.push(change) });
  watching.streamStands();
  let before = clock.now().mono;
  const relist = async (afterMs: number, changes: readonly FoundChange[] = []): Promise<void> => {
    await clock.advance(afterMs);
    watching.relisted(clock.now().mono, before, changes);
    before = clock.now().mono;
  };
  return { clock, silent, watching, relist };
}

describe('SilenceWatch', () => {
  it('notices that nothing came', async () => {
    const { clock, silent, relist } = watch();
    await relist(10_000);
    await relist(10_000, [died]);
    await clock.advance(1999);
    expect(silent).toEqual([]);
    await clock.advance(1);
    expect(silent).toEqual([died]);
  });

  it('does not judge by what happened before the stream stood', async () => {
    const { clock, silent, relist } = watch();
    await relist(1000, [died]);
    await relist(1500, [died]);
    await clock.advance(10_000);
    expect(silent).toEqual([]);
  });

  it('is content with an event that came long before, or comes a moment later', async () => {
    const { clock, silent, watching, relist } = watch();
    watching.heard({ kind: 'stopped', id: 'c' });
    await relist(10_000);
    await relist(10_000, [died]);
    await relist(10_000, [{ ...died, id: 'late' }]);
    await clock.advance(1500);
    watching.heard({ kind: 'stopped', id: 'late' });
    await clock.advance(10_000);
    expect(silent).toEqual([]);
  });

  it('looks again when our own loop was away', async () => {
    const { clock, silent, watching, relist } = watch();
    await relist(10_000);
    await relist(10_000, [died]);
    await clock.suspend(60_000);
    expect(silent).toEqual([]);
    watching.heard({ kind: 'stopped', id: 'c' });
    await clock.advance(10_000);
    expect(silent).toEqual([]);
  });

  it('forgets a stream with its end', async () => {
    const { clock, silent, watching, relist } = watch();
    await relist(10_000);
    await relist(10_000, [died]);
    watching.streamEnded();
    watching.streamStands();
    await clock.advance(10_000);
    expect([silent, clock.pendingTimers]).toEqual([[], 0]);
  });

  it('says nothing where its own memory was too short', async () => {
    const { clock, silent, watching, relist } = watch();
    await relist(10_000);
    for (let n = 0; n <= MAX_ANNOUNCED; n += 1) watching.heard({ kind: 'stopped', id: `${n}` });
    await relist(10_000, [{ ...died, id: '0' }]);
    await clock.advance(10_000);
    expect(silent).toEqual([]);
    await relist(10_000, [died]);
    await clock.advance(2000);
    expect(silent).toEqual([died]);
  });
});
