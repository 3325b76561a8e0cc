import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printFieldError } from '../field-error.ts';
import { formatHealingPolicy, readHealingPolicy } from './healing-policy.ts';
import { MIN_BACK_OFF_MS } from './limits.ts';

describe('a policy that may be', () => {
  it('has the default ladder when it says nothing', () => {
    expect(readHealingPolicy({})).toEqual({
      ok: true,
      policy: {
        rungs: [
          { scope: 'container', attempts: 3, windowMs: 600_000, emptyDirs: [] },
          { scope: 'pod', attempts: 3, windowMs: 3_600_000, emptyDirs: [] },
        ],
        resetAfterMs: 600_000,
        rules: [],
        lateRecovery: true,
      },
    });
  });

  it('is resolved to the last field', () => {
    const spec = {
      selector: { matchLabels: { app: 'web' } },
      priority: 5,
      rungs: [{ scope: 'container', attempts: 5, window: '5m' }, { scope: 'pod', emptyDirs: ['*'] }, { scope: 'node' }],
      maxPodRestarts: 6,
      resetAfter: '20m',
      backOff: { initial: '500ms', factor: 1.5, cap: '1m', resetAfter: '2m', jitter: 0.25 },
      backOffAfterSuccess: { cap: '2s' },
      rules: [
        { onExitCodes: { operator: 'In', values: [78] }, action: 'Stop' },
        { containers: ['db'], onOutOfMemory: true, action: 'Escalate', rung: 'node' },
        { onProbeFailure: ['Startup'], backOff: { initial: '10m' } },
      ],
      lateRecovery: 'Never',
      volumes: { giveUpAfter: '30m' },
    };
    expect(readHealingPolicy(spec)).toEqual({
      ok: true,
      policy: {
        rungs: [
          { scope: 'container', attempts: 5, windowMs: 300_000, emptyDirs: [] },
          { scope: 'pod', attempts: 3, emptyDirs: ['*'] },
          { scope: 'node', attempts: 3, emptyDirs: [] },
        ],
        maxPodRestarts: 6,
        resetAfterMs: 1_200_000,
        backOff: { initialMs: 500, factor: 1.5, capMs: 60_000, resetAfterMs: 120_000, jitter: 0.25 },
        backOffAfterSuccess: { initialMs: 2000, factor: 2, capMs: 2000, resetAfterMs: 600_000, jitter: 0 },
        rules: [
          { onExitCodes: { operator: 'In', values: [78] }, onOutOfMemory: false, action: 'Stop' },
          { containers: ['db'], onOutOfMemory: true, action: 'Escalate', rung: 'node' },
          {
            onOutOfMemory: false,
            onProbeFailure: ['Startup'],
            action: 'BackOff',
            backOff: { initialMs: 600_000, factor: 2, capMs: 600_000, resetAfterMs: 600_000, jitter: 0 },
          },
        ],
        lateRecovery: false,
      },
    });
    const inAnnotation = JSON.parse(formatHealingPolicy(spec as never));
    expect(inAnnotation).not.toHaveProperty('selector');
    // An agent of an earlier version would refuse the whole policy.
    expect(inAnnotation).not.toHaveProperty('volumes');
    expect(readHealingPolicy(inAnnotation)).toEqual(readHealingPolicy(spec));
  });
});

const rule = (fields: object) => ({ rules: [{ containers: ['a'], ...fields }] });

describe('a policy that may not be', () => {
  it.each<[unknown, ...string[]]>([
    ['a text', 'spec: Invalid value: "a text": must be an object'],
    [null, 'spec: Invalid value: null: must be an object'],
    [{ rung: [] }, 'spec.rung: Forbidden: unknown field'],
    [{ volumes: [] }, 'spec.volumes: Invalid value: []: must be an object'],
    [{ volumes: { giveUp: '1h' } }, 'spec.volumes.giveUp: Forbidden: unknown field'],
    [
      { volumes: { giveUpAfter: '5s' } },
      'spec.volumes.giveUpAfter: Invalid value: "5s": must be between 10s and 720h0m0s',
    ],
    [
      { volumes: { giveUpAfter: '-1h' } },
      'spec.volumes.giveUpAfter: Invalid value: "-1h": must be between 10s and 720h0m0s',
    ],
    [
      { volumes: { giveUpAfter: 'soon' } },
      'spec.volumes.giveUpAfter: Invalid value: "soon": must be a duration such as "30s" or "1h30m"',
    ],
    [{ rungs: {} }, 'spec.rungs: Invalid value: {}: must be a list'],
    [{ rungs: [null] }, 'spec.rungs[0]: Invalid value: null: must be an object'],
    [{ rungs: [] }, 'spec.rungs: Required value: at least one rung; leave the field out for the default ladder'],
    [{ rungs: [{}] }, 'spec.rungs[0].scope: Required value'],
    [
      { rungs: [{ scope: 'cluster' }] },
      'spec.rungs[0].scope: Unsupported value: "cluster": supported values: "container", "containers", "pod", "node"',
    ],
    [{ rungs: [{ scope: 'pod' }, { scope: 'pod' }] }, 'spec.rungs[1].scope: Duplicate value: "pod"'],
    [
      { rungs: [{ scope: 'pod' }, { scope: 'container' }] },
      'spec.rungs[1].scope: Invalid value: "container": rungs must be in the order container, containers, pod, node',
    ],
    [
      { rungs: [{ scope: 'pod', attempts: 0, window: '25h' }] },
      'spec.rungs[0].attempts: Invalid value: 0: must be between 1 and 100',
      'spec.rungs[0].window: Invalid value: "25h": must be between 1s and 24h0m0s',
    ],
    [
      { rungs: [{ scope: 'pod', attempts: '3' }] },
      'spec.rungs[0].attempts: Invalid value: "3": must be an integer of 32 bits',
    ],
    [
      { rungs: [{ scope: 'pod', attempts: 1.5 }] },
      'spec.rungs[0].attempts: Invalid value: 1.5: must be an integer of 32 bits',
    ],
    [
      { rungs: [{ scope: 'node', emptyDirs: ['a'] }] },
      'spec.rungs[0].emptyDirs: Forbidden: only scope "pod" may empty volumes',
    ],
    [
      { rungs: [{ scope: 'pod', emptyDirs: ['*', 'a'] }] },
      'spec.rungs[0].emptyDirs: Invalid value: ["*","a"]: "*" means all, and stands alone',
    ],
    [{ rungs: [{ scope: 'pod', emptyDirs: ['a', 'a'] }] }, 'spec.rungs[0].emptyDirs[1]: Duplicate value: "a"'],
    [{ maxPodRestarts: -1 }, 'spec.maxPodRestarts: Invalid value: -1: must be between 0 and 10000'],
    [{ resetAfter: '0s' }, 'spec.resetAfter: Invalid value: "0s": must be between 1s and 24h0m0s'],
    [{ resetAfter: 10 }, 'spec.resetAfter: Invalid value: 10: must be a duration such as "30s" or "1h30m"'],
    [{ resetAfter: 'soon' }, 'spec.resetAfter: Invalid value: "soon": must be a duration such as "30s" or "1h30m"'],
    [{ backOff: { initial: '0s' } }, 'spec.backOff.initial: Invalid value: "0s": must be between 100ms and 1h0m0s'],
    [{ backOff: { cap: '50ms' } }, 'spec.backOff.cap: Invalid value: "50ms": must be between 100ms and 1h0m0s'],
    [{ backOff: { initial: '-5s' } }, 'spec.backOff.initial: Invalid value: "-5s": must be between 100ms and 1h0m0s'],
    [{ backOff: { initial: '1m', cap: '1s' } }, 'spec.backOff.cap: Invalid value: "1s": must not be less than initial'],
    [{ backOff: { factor: 0.5 } }, 'spec.backOff.factor: Invalid value: 0.5: must be between 1 and 10'],
    [{ backOff: { factor: Number.NaN } }, 'spec.backOff.factor: Invalid value: null: must be between 1 and 10'],
    [
      { backOffAfterSuccess: { jitter: 2 } },
      'spec.backOffAfterSuccess.jitter: Invalid value: 2: must be between 0 and 1',
    ],
    [
      { rules: Array.from({ length: 33 }, () => ({ onOutOfMemory: true })) },
      'spec.rules: Too many: 33: must have at most 32 items',
    ],
    [
      { rules: [{ action: 'Stop' }] },
      'spec.rules[0]: Required value: at least one of containers, onExitCodes, onOutOfMemory and onProbeFailure',
    ],
    [{ rules: [{ containers: [] }] }, 'spec.rules[0].containers: Required value: at least one value'],
    [{ rules: [{ containers: ['a', 'a'] }] }, 'spec.rules[0].containers[1]: Duplicate value: "a"'],
    [rule({ onOutOfMemory: false }), 'spec.rules[0].onOutOfMemory: Invalid value: false: must be true, or left out'],
    [
      rule({ onExitCodes: { operator: '' } }),
      'spec.rules[0].onExitCodes.operator: Required value',
      'spec.rules[0].onExitCodes.values: Required value: at least one value',
    ],
    [
      rule({ onExitCodes: { operator: 'In', values: Array.from({ length: 256 }, () => 1) } }),
      'spec.rules[0].onExitCodes.values: Too many: 256: must have at most 255 items',
    ],
    [rule({ onProbeFailure: [] }), 'spec.rules[0].onProbeFailure: Required value: at least one value'],
    [
      rule({ onProbeFailure: ['Readiness'] }),
      'spec.rules[0].onProbeFailure[0]: Unsupported value: "Readiness": supported values: "Liveness", "Startup"',
    ],
    [rule({ action: 'Stop', rung: 'pod' }), 'spec.rules[0].rung: Forbidden: only with action "Escalate"'],
    [
      rule({ action: 'Escalate', rung: 'node' }),
      'spec.rules[0].rung: Unsupported value: "node": supported values: "container", "pod"',
    ],
    [rule({ action: 'Stop', backOff: {} }), 'spec.rules[0].backOff: Forbidden: only with action "BackOff"'],
    [{ lateRecovery: 'never' }, 'spec.lateRecovery: Unsupported value: "never": supported values: "Always", "Never"'],
    [
      { selector: { matchExpressions: [{ key: 'a', operator: 'Like' }] } },
      'spec.selector.matchExpressions[0].operator: Invalid value: "Like": not a valid selector operator',
    ],
  ])('%j', (value, ...problems) => {
    const read = readHealingPolicy(value, 'spec');
    expect(read.ok ? [] : read.errors.map(printFieldError)).toEqual(problems);
  });

  it('names the fields of an annotation without a path before them', () => {
    const read = readHealingPolicy({ maxPodRestarts: -1 });
    expect(read.ok ? '' : read.errors[0]?.field).toBe('maxPodRestarts');
  });

  it('is refused when it nests without end', () => {
    let deep: unknown = {};
    for (let depth = 0; depth < 10_000; depth += 1) deep = { selector: deep };
    expect(readHealingPolicy(deep).ok).toBe(false);
  });

  it('is refused when it names the same thing a billion times', () => {
    let many: unknown = 'lol';
    for (let depth = 0; depth < 14; depth += 1) many = Array.from({ length: 20 }, () => many);
    expect(readHealingPolicy({ rungs: many }).ok).toBe(false);
    expect(readHealingPolicy({ rules: Array.from({ length: 30_000 }, () => null) }).ok).toBe(false);
  });
});

it('never throws, and never waits less than the least wait', () => {
  const text = fc.oneof(fc.constantFrom('0s', '1ms', '100ms', '5m', '2h', 'x', ''), fc.anything());
  const curve = fc.record(
    { initial: text, factor: fc.oneof(fc.double(), fc.anything()), cap: text },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(
      fc.record({ backOff: fc.oneof(curve, fc.anything()), rungs: fc.anything() }, { requiredKeys: [] }),
      (value) => {
        const read = readHealingPolicy(value);
        if (!read.ok || read.policy.backOff === undefined) return;
        const { initialMs, capMs, factor } = read.policy.backOff;
        expect(initialMs).toBeGreaterThanOrEqual(MIN_BACK_OFF_MS);
        expect(capMs).toBeGreaterThanOrEqual(initialMs);
        expect(factor).toBeGreaterThanOrEqual(1);
      },
    ),
  );
});
