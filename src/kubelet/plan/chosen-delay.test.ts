/** Which delay was chosen after a death is in the note: also where it was over before the plan saw the death. */
import { describe, expect, it } from 'vitest';
import { HEALING_POLICY, type HealingPolicySpec } from '../../api/index.ts';
import { RestartModel } from './restart/restart-model.fixtures.ts';

function running(policy?: HealingPolicySpec): RestartModel {
  const model = new RestartModel();
  const annotations: Record<string, string> = policy === undefined ? {} : { [HEALING_POLICY]: JSON.stringify(policy) };
  model.pod = { ...model.pod, metadata: { ...model.pod.metadata, annotations } };
  return model.settle();
}

/** It exits, and nobody looks for `unseenMs`. */
function die(model: RestartModel, unseenMs: number, name = 'main'): void {
  model.exit(name, 1);
  model.advance(unseenMs);
  model.settle();
}

/** `undefined`: none is noted for its last death. */
function chosen(model: RestartModel, name = 'main'): number | undefined {
  return model.plan?.memory.note.containers[name]?.deaths[0]?.delayMs;
}

const runs = (model: RestartModel): boolean => model.running().some((text) => text.startsWith('main '));
const CONTAINERS = { scope: 'containers' as const, attempts: 5 };

describe('the delay that was chosen', () => {
  it.each<[string, HealingPolicySpec | undefined, readonly number[]]>([
    ['by Kubernetes’ curve', undefined, [0, 10_000, 20_000]],
    ['by a policy', { backOff: { initial: '100ms', factor: 2, cap: '5m' } }, [0, 100, 200]],
    [
      'before all containers are restarted, where not even the first is free',
      { rungs: [CONTAINERS], backOff: { initial: '100ms', factor: 2, cap: '5m' } },
      [100, 100, 200],
    ],
  ])('%s, though it was over when the death was seen', (_what, policy, delays) => {
    const model = running(policy);
    const seen = delays.map(() => {
      die(model, 30_000);
      expect(runs(model)).toBe(true);
      return chosen(model);
    });
    expect(seen).toEqual(delays);
  });

  it('while it lasts, and after it', () => {
    const model = running();
    die(model, 0);
    die(model, 0);
    expect([runs(model), chosen(model)]).toEqual([false, 10_000]);
    model.advance(10_000).settle();
    expect([runs(model), chosen(model)]).toEqual([true, 10_000]);
  });

  it('with the random part that it really had, to the millisecond', () => {
    const model = running({ backOff: { initial: '100ms', factor: 2, cap: '5m', jitter: 0.5 } });
    die(model, 30_000);
    die(model, 30_000);
    const delay = chosen(model) ?? 0;
    expect([delay > 100, delay <= 150, Number.isInteger(delay)]).toEqual([true, true, true]);
  });

  it('is noted once: looking again changes no note', () => {
    const model = running();
    die(model, 0);
    die(model, 0);
    const { note } = model.plan!.memory;
    model.advance(10).settle();
    expect(model.plan?.memory.note).toBe(note);
  });

  it('is none where nothing is started again', () => {
    const model = running();
    model.pod = { ...model.pod, spec: { ...model.pod.spec!, restartPolicy: 'Never' } };
    die(model, 0);
    expect([runs(model), chosen(model)]).toEqual([false, undefined]);
  });
});
